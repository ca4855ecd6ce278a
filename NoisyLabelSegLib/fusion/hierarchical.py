"""A majority vote that respects nested or similar classes, as used for brain tumours by Menze et al. (2015)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.majority import mark_ties, winners
from NoisyLabelSegLib.fusion.model import TIE, Solution, most_likely, solution
from NoisyLabelSegLib.fusion.table import VoteTable


def hierarchical(
    table: VoteTable, *, regions: Iterable[Iterable[int]] | None = None, undecided: int | None = None
) -> Solution:
    """Asks region by region, outermost first, whether more than half of the annotators voted for anything in it.

    If so, only the region's labels stay in play, if not, they leave it; the majority among what is left decides.

    regions: sets of labels, such as [[1, 2, 3, 4], [1, 3, 4], [4]] for whole tumor, core and active core. A vote for
        the inside supports the outside too, so annotators who agree on "tumor" but not on its parts are not outvoted
        by those who see none. None asks once: foreground or background.
    """
    labels = table.values
    in_play = np.ones_like(table.shares, dtype=np.bool_)
    for region in [labels[1:]] if regions is None else [_labels_of(region) for region in regions]:
        inside = in_play & np.isin(labels, region)
        outside = in_play & ~inside
        accepted = np.where(inside, table.shares, 0).sum(axis=1) > 0.5 + TIE
        in_play = np.where((accepted | ~outside.any(axis=1))[:, None], inside, outside)
    posterior = winners(np.where(in_play, table.shares, -1.0))
    decided = most_likely(table, posterior)
    return solution(table, posterior, decided=decided, remarks=mark_ties(table, posterior, decided, undecided))


def _labels_of(region: Iterable[int]) -> NDArray[np.int64]:
    labels = np.asarray(list(region), dtype=np.int64)
    if labels.size == 0 or labels.min() < 1:
        raise UserError("A region must hold at least one label and not the background", remedy="give lists like [1, 2]")
    return labels
