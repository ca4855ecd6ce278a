"""For every annotator a reference that excludes their own labels: the fusion of all others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.fusion.methods import DEFAULT, Method
from NoisyLabelSegLib.fusion.pool import Pool
from NoisyLabelSegLib.fusion.result import Fusion
from NoisyLabelSegLib.fusion.table import VoteTable
from NoisyLabelSegLib.fusion.votes import Votes
from NoisyLabelSegLib.metrics.figures import sizes
from NoisyLabelSegLib.metrics.overlap import dice_of_sizes


def leave_one_out(
    votes: Votes, method: str = DEFAULT, *, pools: Sequence[Pool | None] | None = None, **options: Any
) -> list[Fusion | None]:
    """For each annotator, the fusion of all other annotators' labels of the case.

    The labels are not read again: one column of the table of vote patterns is left out and the method is run on the
    rest, which takes milliseconds.

    Parameters
    ----------
    votes
        The votes of R annotators on one case.
    method, **options
        The name of a fusion method and its options.
    pools
        From `leave_one_out_pools`, where annotators are judged over all cases of a study together.

    Returns
    -------
    list of Fusion or None
        R entries; None for an annotator who did not label the case or who is the only one who did. The labels of the
        r-th fusion are (*shape) uint8; `Votes.counts_against` compares them without making the image.

    Examples
    --------
    >>> votes = Votes([[0, 1, 1, 0], [0, 1, 0, 0], [1, 1, 0, 0]])
    >>> [fusion.labels.tolist() for fusion in leave_one_out(votes, "majority")]
    [[0, 1, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0]]
    """
    return [_without(votes, annotator, method, pools, options) for annotator in range(len(votes.names))]


def leave_one_out_pools(table: VoteTable, method: Method, options: Mapping[str, Any]) -> list[Pool | None]:
    """For each annotator what the method finds in all cases' votes (a pooled table) without that annotator's votes.

    None for an annotator without whom there is no vote left.
    """
    tables = (table.without([annotator]) for annotator in range(table.annotators))
    return [None if rest.is_unseen.all() else Pool.solve(rest, method, options) for rest in tables]


def leave_one_out_counts(votes: Votes, references: Sequence[Fusion | None]) -> dict[str, NDArray[np.int64]]:
    """By name, what each annotator says against the reference without them: (L, L + 1), as `Votes.counts_against`.

    An annotator without a reference is left out. `metrics.figures.sizes` makes a Dice of the counts.
    """
    return {
        votes.names[annotator]: votes.counts_against(reference)[annotator]
        for annotator, reference in enumerate(references)
        if reference is not None
    }


@dataclass(frozen=True)
class FusedFrom:
    """What a reference that is a fusion was fused from: `annotators` by name, and each one's counts without them.

    `counts` are those of `leave_one_out_counts`. Where they are not known yet, `method` is the name of the method by
    whose default options `counted` makes them.
    """

    annotators: tuple[str, ...]
    counts: Mapping[str, NDArray[np.int64]]
    method: str = ""

    @classmethod
    def of(cls, votes: Votes, references: Sequence[Fusion | None]) -> FusedFrom:
        """The origin of a fusion of these votes, with the references of `leave_one_out`."""
        return cls(tuple(votes.names[place] for place in votes.present), leave_one_out_counts(votes, references))

    def counted(self, labels: Mapping[str, NDArray[Any]], classes: int) -> FusedFrom:
        """The same with counts, which are made of the annotators' labels (*shape) unless they are known."""
        if not self.method:
            return self
        votes = Votes([labels[name] for name in self.annotators], classes=classes, names=self.annotators)
        return FusedFrom.of(votes, leave_one_out(votes, self.method))

    def dice(self, annotator: str, label: int) -> float | None:
        """The Dice of a class (label L: of all but background) to the reference without the annotator, where known."""
        counts = self.counts.get(annotator)
        return None if counts is None else float(dice_of_sizes(*sizes(counts, label)))


def _without(
    votes: Votes, annotator: int, method: str, pools: Sequence[Pool | None] | None, options: Mapping[str, Any]
) -> Fusion | None:
    others = [other for other in votes.present if other != annotator]
    if annotator not in votes.present or not others:
        return None
    if pools is None:
        return votes.fuse(method, annotators=others, **options)
    pool = pools[annotator]
    return None if pool is None else votes.fused_as(pool.part(votes.among(others)), annotators=others)
