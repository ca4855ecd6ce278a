"""How long work tells its caller how far it is, without knowing who listens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass, field
from typing import TypeVar

Item = TypeVar("Item")


@dataclass(frozen=True)
class Progress:
    """`done` of `total` steps of a stage are finished; `metrics` are figures worth showing beside the bar."""

    stage: str
    done: int
    total: int
    metrics: Mapping[str, float] = field(default_factory=dict)


Report = Callable[[Progress], None]


def silent(progress: Progress) -> None:
    """A listener that does not listen."""


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
