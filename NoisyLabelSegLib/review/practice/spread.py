"""A drawing against the spread of several experts: a voxel on which they disagree is no error."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.metrics.overlap import dice_of_sizes
from NoisyLabelSegLib.metrics.runs import row_slabs
from NoisyLabelSegLib.progress import finished

Labels = NDArray[np.uint8]


@dataclass(frozen=True)
class SpreadScore:
    """How a drawing compares with several experts, foreground against background.

    `dice_undisputed` is the Dice over the voxels on which all experts agree; None where they agree on no foreground and
    the drawing adds none. `dice_with_experts` is the mean Dice with each expert. `experts_low`, `experts_mean` and
    `experts_high` are the smallest, mean and largest Dice of two experts with each other; None with one expert.
    `disputed` is the number of voxels on which the experts disagree.
    """

    dice_undisputed: float | None
    dice_with_experts: float
    experts_low: float | None
    experts_mean: float | None
    experts_high: float | None
    disputed: int

    @property
    def is_within(self) -> bool | None:
        """Whether the drawing agrees with the experts at least as well as the two who differ most; None with one."""
        return None if self.experts_low is None else self.dice_with_experts >= self.experts_low


def closest_reading(drawn: Labels, experts: Sequence[Labels]) -> Labels:
    """The reading (*shape) uint8 within the experts' spread that is closest to a drawing (*shape).

    A voxel has the drawn class where any expert gave it that class, and else the class that most experts gave it (of
    those that as many gave, the lowest). What differs from it is an error by the judgment of every expert.

    Examples
    --------
    >>> experts = [np.array([0, 1, 1, 0]), np.array([0, 0, 1, 0])]
    >>> closest_reading(np.array([1, 1, 0, 0]), experts).tolist()
    [0, 1, 1, 0]
    """
    return finished(finding_closest_reading(drawn, experts))


def finding_closest_reading(drawn: Labels, experts: Sequence[Labels]) -> Generator[str, None, Labels]:
    """closest_reading() in steps."""
    result = np.empty(np.shape(drawn), dtype=np.uint8)
    for rows in row_slabs(result.shape):
        yield ""
        result[rows] = _closest(drawn[rows], [expert[rows] for expert in experts])
    return result


def spread_score(drawn: Labels, experts: Mapping[str, Labels] | Sequence[Labels]) -> SpreadScore:
    """The score of a drawing (*shape) against the labels (*shape) of one expert or more."""
    return finished(scoring(drawn, experts))


def scoring(drawn: Labels, experts: Mapping[str, Labels] | Sequence[Labels]) -> Generator[str, None, SpreadScore]:
    """spread_score() in steps."""
    every_one = [drawn, *(experts.values() if isinstance(experts, Mapping) else experts)]
    common = np.zeros((len(every_one), len(every_one)))
    hits = missed = extra = disputed = 0
    for rows in row_slabs(np.shape(drawn)):
        yield ""
        marked, *readings = (np.asarray(each[rows]) != 0 for each in every_one)
        every, some = np.logical_and.reduce(readings), np.logical_or.reduce(readings)
        hits += int(np.count_nonzero(every & marked))
        missed += int(np.count_nonzero(every & ~marked))
        extra += int(np.count_nonzero(marked & ~some))
        disputed += int(np.count_nonzero(some & ~every))
        flat = np.stack([marked.ravel(), *(each.ravel() for each in readings)])
        flat = flat[:, flat.any(axis=0)].astype(np.float32)
        common += flat @ flat.T
    dices = [
        [float(dice_of_sizes(common[i, j], common[i, i], common[j, j])) for j in range(len(common))]
        for i in range(len(common))
    ]
    pairs = [dices[i][j] for i in range(1, len(common)) for j in range(i + 1, len(common))]
    return SpreadScore(
        dice_undisputed=float(dice_of_sizes(hits, hits + extra, hits + missed)) if hits + missed + extra else None,
        dice_with_experts=float(np.mean(dices[0][1:])),
        experts_low=min(pairs, default=None),
        experts_mean=float(np.mean(pairs)) if pairs else None,
        experts_high=max(pairs, default=None),
        disputed=disputed,
    )


def _closest(drawn: NDArray[Any], experts: Sequence[NDArray[Any]]) -> Labels:
    says_so = np.zeros(drawn.shape, dtype=bool)
    for expert in experts:
        says_so |= expert == drawn
    result = drawn.astype(np.uint8)
    others = ~says_so
    if others.any():
        given = np.stack([expert[others] for expert in experts])
        votes = np.stack([(given == label).sum(axis=0) for label in range(int(given.max(initial=0)) + 1)])
        result[others] = votes.argmax(axis=0)
    return result
