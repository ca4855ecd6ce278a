"""The line protocol between a worker and whoever started it."""

from __future__ import annotations

import json
from pathlib import PurePosixPath

import numpy as np
import pytest

from NoisyLabelSegLib.jobs.protocol import Event, TimeLeft, parse_line, progress_event, progress_of
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


def test_numbers_of_numpy_are_numbers_and_anything_else_is_text() -> None:
    values = {"loss": np.float32(0.5), "nan": np.float32("nan"), "count": np.int64(3), "path": PurePosixPath("a/b")}
    parsed = parse_line(Event("result", values).line())
    assert parsed is not None
    assert parsed.values == {"loss": 0.5, "nan": None, "count": 3, "path": "a/b"}


def test_time_left_follows_what_the_steps_really_took() -> None:
    now = 0.0
    left = TimeLeft(clock=lambda: now)
    assert left.after(Progress("train", 0, 10)) is None
    now = 4.0
    assert left.after(Progress("train", 2, 10)) == pytest.approx(16.0)
    now = 20.0
    assert left.after(Progress("train", 10, 10)) == 0.0


def test_time_left_follows_the_parts_of_a_long_step() -> None:
    now = 0.0
    left = TimeLeft(clock=lambda: now)
    assert left.after(Progress("train", 0, 3)) is None
    now = 30.0
    assert left.after(Progress("train", 0, 3, part=0.25)) == pytest.approx(330.0)
    now = 180.0
    assert left.after(Progress("train", 1, 3, part=0.5)) == pytest.approx(180.0)


def test_no_time_is_told_from_the_first_instant_of_many_steps() -> None:
    now = 0.0
    left = TimeLeft(clock=lambda: now)
    left.after(Progress("review", 0, 3000))
    now = 0.3
    assert left.after(Progress("review", 1, 3000)) is None
    now = 2.0
    assert left.after(Progress("review", 100, 3000)) == pytest.approx(58.0)


def test_steps_of_one_pace_count_down_evenly() -> None:
    now = 0.0
    left = TimeLeft(clock=lambda: now)
    told = []
    for done in range(11):
        now = done * 2.0
        told.append(left.after(Progress("train", done, 10)))
    assert told == [None, 18.0, 16.0, 14.0, 12.0, 10.0, 8.0, 6.0, 4.0, 2.0, 0.0]


def test_a_stage_that_begins_anew_is_measured_anew() -> None:
    now = 0.0
    left = TimeLeft(clock=lambda: now)
    left.after(Progress("train", 0, 10))
    now = 100.0
    left.after(Progress("train", 5, 10))
    assert left.after(Progress("train", 0, 10)) is None
    now = 102.0
    assert left.after(Progress("train", 1, 10)) == pytest.approx(18.0)


@pytest.mark.parametrize(
    "values",
    [
        {"stage": 3, "done": 1, "total": 2},
        {"stage": "train", "done": 1.5, "total": 2},
        {"stage": "train", "done": True, "total": 2},
        {"stage": "train", "done": -1, "total": 2},
        {"stage": "train", "done": 3, "total": 2},
        {"stage": "train", "total": 2},
    ],
)
def test_progress_that_makes_no_sense_is_none(values: dict[str, object]) -> None:
    assert progress_of(Event("progress", values)) is None


def test_what_is_told_beside_the_progress_is_kept_where_it_is_a_number() -> None:
    values = {
        "stage": "train",
        "done": 1,
        "total": 2,
        "secondsLeft": -3,
        "metrics": {"loss": 0.5, "name": "x", "b": True},
    }
    assert progress_of(Event("progress", values)) == (Progress("train", 1, 2, {"loss": 0.5}), 0.0)
    assert progress_of(Event("progress", {**values, "secondsLeft": None, "metrics": 3})) == (
        Progress("train", 1, 2),
        None,
    )


@pytest.mark.parametrize("part", [-0.1, 1, 1.5, "half", None, True])
def test_a_part_that_makes_no_sense_is_left_out(part: object) -> None:
    told = progress_of(Event("progress", {"stage": "train", "done": 1, "total": 2, "part": part}))
    assert told == (Progress("train", 1, 2), None)


def test_a_part_of_a_step_survives_the_line() -> None:
    progress = Progress("train", 1, 2, part=1 / 3)
    event = parse_line(progress_event(progress, 4.0).line())
    assert event is not None
    assert progress_of(event) == (progress, 4.0)


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
