"""One bar over several parts."""

from __future__ import annotations

from NoisyLabelSegLib.demo.run import STEPS, WholeBar
from NoisyLabelSegLib.progress import Progress, steps

PLAN = {"first": {"read": 1.0, "count": 1.0}, "second": {"draw": 2.0}}


def test_parts_and_stages_fill_their_share_of_one_bar() -> None:
    seen: list[Progress] = []
    bar = WholeBar("all", PLAN, seen.append)
    with bar.part("first") as report:
        for stage in ("read", "count"):
            list(steps([1, 2], stage, report))
    assert [item.done for item in seen] == [
        0,
        0,
        STEPS // 8,
        STEPS // 4,
        STEPS // 4,
        3 * STEPS // 8,
        STEPS // 2,
        STEPS // 2,
    ]
    with bar.part("second") as report:
        report(Progress("draw", 0, 2, part=0.5))
        report(Progress("draw", 1, 2, {"loss": 0.5}))
    assert seen[-3].done == 5 * STEPS // 8
    assert (seen[-2].done, seen[-2].metrics) == (3 * STEPS // 4, {"loss": 0.5})
    assert seen[-1].done == STEPS


def test_a_stage_outside_the_plan_or_begun_anew_does_not_move_the_bar_back() -> None:
    seen: list[Progress] = []
    bar = WholeBar("all", PLAN, seen.append)
    with bar.part("second") as report:
        report(Progress("draw", 2, 2))
        report(Progress("draw", 1, 2))
        report(Progress("sharpen pencils", 1, 2))
    assert [item.done for item in seen] == [0, STEPS, STEPS, STEPS]
