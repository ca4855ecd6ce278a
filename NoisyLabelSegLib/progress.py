"""How long work tells its caller how far it is, without knowing who listens."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass, field
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Progress:
    """`done` of `total` steps of a stage are finished; `metrics` are figures worth showing beside the bar.

    `part` is the share of the next step that is done already (0 to below 1), where steps are long enough to ask.
    """

    stage: str
    done: int
    total: int
    metrics: Mapping[str, float] = field(default_factory=dict)
    part: float = 0.0


Report = Callable[[Progress], None]
Say = Callable[[str], None]
"""Takes a sentence for people."""
Map = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
"""Like the built-in map: applies a function to every item and yields the results in order, perhaps in parallel."""


def silent(progress: Progress) -> None:
    """A listener that does not listen."""


def paced(report: Report, every_seconds: float = 0.5, clock: Callable[[], float] = time.monotonic) -> Report:
    """A listener that hears of every finished step, and of parts of steps no more often than people can read."""
    last = clock()

    def hear(progress: Progress) -> None:
        nonlocal last
        if not progress.part or clock() - last >= every_seconds:
            last = clock()
            report(progress)

    return hear


def steps(items: Iterable[Item], stage: str, report: Report = silent, *, total: int | None = None) -> Iterator[Item]:
    """Yields the items and reports after each one; `total` is needed where the items have no length."""
    if total is None:
        if not isinstance(items, Sized):
            raise TypeError("steps() needs total= for items without a length")
        total = len(items)
    report(Progress(stage, 0, total))
    for done, item in enumerate(items, start=1):
        yield item
        report(Progress(stage, done, total))


def finished(work: Generator[Any, None, Result]) -> Result:
    """Does work that comes in steps to its end, and returns what it returns."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
