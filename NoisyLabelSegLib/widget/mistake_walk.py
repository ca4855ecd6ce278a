"""Which of an annotator's mistakes the views are at."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from NoisyLabelSegLib.review.compare.mistakes import Mistake


@dataclass(frozen=True)
class Where:
    """The mistake that the views are at: its number among those one can walk through, how many there are in all."""

    number: int
    total: int
    found: int
    words: str


def placeIn(mistakes: Sequence[Mistake], current: Mistake | None) -> int | None:
    """Where the current mistake is among those of a review, which may find it a little changed by an edit."""
    if current is None or not mistakes:
        return None
    if current in mistakes:
        return mistakes.index(current)
    who = (current.case, current.annotator, current.kind)
    near = [
        (math.dist(each.center, current.center), place)
        for place, each in enumerate(mistakes)
        if (each.case, each.annotator, each.kind) == who
    ]
    distance, place = min(near, default=(math.inf, 0))
    return place if distance <= max(current.extent) else None
