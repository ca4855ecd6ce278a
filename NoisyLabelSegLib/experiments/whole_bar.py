"""One progress bar over work of several parts, so that the time left is that of all of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from NoisyLabelSegLib.progress import Progress, Report

STEPS = 1000

Plan = Mapping[str, Mapping[str, float]]
"""Part to its stages to the seconds that each takes, more or less: only their ratios count."""


class WholeBar:
    """Reports the parts of a plan as steps of one stage; the bar never goes back."""

    def __init__(self, name: str, plan: Plan, report: Report) -> None:
        self._name, self._plan, self._report = name, plan, report
        self._total = sum(sum(stages.values()) for stages in plan.values())
        self._done = 0
        report(Progress(name, 0, STEPS))

    @contextmanager
    def part(self, name: str) -> Iterator[Report]:
        """What the part's work reports to; stages that the plan does not know do not move the bar."""
        before = 0.0
        for other, stages in self._plan.items():
            if other == name:
                break
            before += sum(stages.values())
        stages = self._plan[name]

        def listen(progress: Progress) -> None:
            if progress.stage in stages:
                names = list(stages)
                earlier = sum(stages[stage] for stage in names[: names.index(progress.stage)])
                share = (progress.done + progress.part) / max(progress.total, 1)
                self._move(before + earlier + share * stages[progress.stage], progress.metrics)

        yield listen
        self._move(before + sum(stages.values()), {})

    def _move(self, seconds: float, figures: Mapping[str, float]) -> None:
        self._done = max(self._done, round(STEPS * seconds / self._total))
        self._report(Progress(self._name, self._done, STEPS, figures))
