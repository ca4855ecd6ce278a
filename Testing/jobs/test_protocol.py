"""The line protocol between a worker and whoever started it."""

from __future__ import annotations

import json

import pytest

from NoisyLabelSegLib.jobs.protocol import Event, TimeLeft, parse_line, progress_event
from NoisyLabelSegLib.progress import Progress


def test_an_event_survives_the_line() -> None:
    event = Event("progress", {"stage": "train", "done": 3, "total": 60, "metrics": {"loss": 0.41}})
    assert parse_line(event.line()) == event


@pytest.mark.parametrize("line", ["", "epoch 3", "[1, 2]", '{"event": "weather"}', '{"no": "event"}', "{broken", "3"])
def test_what_is_not_an_event_is_ignored(line: str) -> None:
    assert parse_line(line) is None


def test_a_line_is_strict_json_even_with_numbers_that_are_none() -> None:
    line = Event("result", {"loss": float("nan"), "list": [float("inf"), 1.5], "inner": {"x": float("-inf")}}).line()
    assert json.loads(line, parse_constant=pytest.fail) == {
        "event": "result",
        "loss": None,
        "list": [None, 1.5],
        "inner": {"x": None},
    }
    assert "\n" not in line


def test_time_left_follows_what_the_steps_really_took() -> None:
    now = 0.0
    left = TimeLeft(clock=lambda: now)
    assert left.after(Progress("train", 0, 10)) is None
    now = 4.0
    assert left.after(Progress("train", 2, 10)) == pytest.approx(16.0)
    now = 20.0
    assert left.after(Progress("train", 10, 10)) == 0.0


def test_a_new_stage_and_a_resumed_one_start_their_own_clock() -> None:
    now = 100.0
    left = TimeLeft(clock=lambda: now)
    left.after(Progress("read", 5, 5))
    assert left.after(Progress("train", 40, 60)) is None
    now = 110.0
    assert left.after(Progress("train", 50, 60)) == pytest.approx(10.0)


def test_a_progress_event_carries_the_designs_keys() -> None:
    event = progress_event(Progress("train", 3, 60, {"loss": 0.5}), 41.04)
    assert event.values == {"stage": "train", "done": 3, "total": 60, "secondsLeft": 41.0, "metrics": {"loss": 0.5}}
