"""A majority vote that respects nested or similar classes, as used for brain tumours by Menze et al. (2015)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.majority import mark_ties, winners
from NoisyLabelSegLib.fusion.model import Solution, most_likely, solution
from NoisyLabelSegLib.fusion.table import VoteTable


def hierarchical(
    table: VoteTable, *, regions: Iterable[Iterable[int]] | None = None, undecided: int | None = None
) -> Solution:
    """Asks region by region, outermost first, whether most votes still in play lie in it; then takes the majority.

    regions: sets of labels, such as [[1, 2, 3, 4], [1, 3, 4], [4]] for whole tumour, core and active core. A vote for
        the inside supports the outside too, so annotators who agree on "tumour" but not on its parts are not outvoted
        by those who see none. None asks once: foreground or background.
    """
    labels = table.values
    sets = [labels[1:]] if regions is None else [_labels_of(region) for region in regions]
    in_play = np.ones_like(table.shares, dtype=np.bool_)
    for region in sets:
        inside = in_play & np.isin(labels, region)
        outside = in_play & ~inside
        votes_inside, votes_outside = (np.where(part, table.shares, 0).sum(axis=1) for part in (inside, outside))
        in_play = np.where((votes_inside > votes_outside)[:, None], inside, outside)
    posterior = winners(np.where(in_play, table.shares, -1.0))
    decided = most_likely(table, posterior)
    return solution(table, posterior, decided=decided, remarks=mark_ties(table, posterior, decided, undecided))


def _labels_of(region: Iterable[int]) -> NDArray[np.int64]:
    labels = np.asarray(list(region), dtype=np.int64)
    if labels.size == 0 or labels.min() < 1:
        raise UserError("A region must hold at least one label and not the background", remedy="give lists like [1, 2]")
    return labels
