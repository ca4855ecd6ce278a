"""How long work tells how far it is."""

from __future__ import annotations

from NoisyLabelSegLib.progress import Progress, paced


def test_finished_steps_are_always_heard_and_parts_of_steps_only_now_and_then() -> None:
    now, heard = 0.0, []
    hear = paced(heard.append, every_seconds=0.5, clock=lambda: now)
    for number in range(12):
        now = number * 0.2
        done, part = divmod(number, 6)
        hear(Progress("train", done, 2, part=part / 6))
    assert [progress.done * 6 + round(progress.part * 6) for progress in heard] == [0, 3, 6, 9]


def test_a_step_that_has_just_finished_needs_no_part_behind_it() -> None:
    now, heard = 0.0, []
    hear = paced(heard.append, every_seconds=0.5, clock=lambda: now)
    hear(Progress("train", 0, 2))
    now = 0.6
    hear(Progress("train", 1, 2))
    now = 0.7
    hear(Progress("train", 1, 2, part=0.5))
    assert [progress.part for progress in heard] == [0, 0]
