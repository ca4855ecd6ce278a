"""For every annotator a reference that excludes their own labels: the fusion of all others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.fusion.methods import DEFAULT, Method
from NoisyLabelSegLib.fusion.pool import Pool
from NoisyLabelSegLib.fusion.result import Fusion
from NoisyLabelSegLib.fusion.table import VoteTable
from NoisyLabelSegLib.fusion.votes import Votes


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


def leave_one_out_counts(votes: Votes, references: Sequence[Fusion | None]) -> NDArray[np.int64]:
    """What each annotator says against the reference without them: (R, L, L + 1), as `Votes.counts_against`.

    All zero for an annotator without a reference.
    """
    counts = np.zeros((len(votes.names), votes.classes, votes.classes + 1), dtype=np.int64)
    for annotator, reference in enumerate(references):
        if reference is not None:
            counts[annotator] = votes.counts_against(reference)[annotator]
    return counts


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
