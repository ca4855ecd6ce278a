"""ITK's own conventions for STAPLE, so that its numbers can be reproduced on the vote table.

Start, prior, order of the steps and stopping rule differ between ITK's two filters, and both differ from our default.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.fusion.em import Fit, changes_at_most, expect, fit
from NoisyLabelSegLib.fusion.model import TIE, most_likely
from NoisyLabelSegLib.fusion.prior import confident, first_prior
from NoisyLabelSegLib.fusion.table import Floats, VoteTable

_BINARY_CHANGE = 1e-7  # ITK stops when every squared change is at most 1e-14
_MULTI_LABEL_CHANGE = 1e-5


def itk_fit(table: VoteTable, confidence_weight: float, limit: int) -> Fit:
    """What SimpleITK's STAPLE (up to two labels) or MultiLabelSTAPLE finds; `iterations` as ITK counts them."""
    prior = first_prior(table, "votes", table.counts)
    if len(table.values) > 2:
        first = _voting_confusion(table)
        posterior = expect(table, first, prior)
        settled = changes_at_most(_MULTI_LABEL_CHANGE)
        return fit(table, posterior, prior, counts=table.counts, settled=settled, last=first, limit=limit)
    found = fit(
        table,
        table.shares,
        confident(prior, confidence_weight),
        counts=table.counts,
        settled=changes_at_most(_BINARY_CHANGE),
        limit=limit,
    )
    return replace(found, iterations=found.iterations - 1)


def itk_decided(table: VoteTable, posterior: Floats) -> NDArray[np.uint8]:
    """The label (P,) as MultiLabelSTAPLE gives it: a tie becomes "undecided", one above the largest label."""
    decided = most_likely(table, posterior)
    tied = (posterior >= posterior.max(axis=1, keepdims=True) - TIE).sum(axis=1) > 1
    if len(table.values) > 2 and table.values[-1] < 255:
        decided[tied] = table.values[-1] + 1
    return decided


def _voting_confusion(table: VoteTable) -> Floats:
    """MultiLabelSTAPLE's start (R, K, K): counts against the majority vote, normalised over each *observed* label.

    ITK stores a vote j where the majority is tied one cell past the end of row j, which is (j + 1, 0).
    """
    size = len(table.values)
    most = table.tallies.max(axis=1, keepdims=True)
    winner = (table.tallies == most).astype(np.float64)
    tied = winner.sum(axis=1) > 1
    counts = table.confusion_counts(winner, np.where(tied, 0.0, table.counts))
    spilled = table.confusion_counts(np.ones_like(winner), np.where(tied, table.counts, 0.0))[:, :, 0]
    for place in range(size - 1):
        if table.values[place + 1] == table.values[place] + 1:
            counts[:, place + 1, 0] += spilled[:, place]
    rows = counts.sum(axis=2, keepdims=True)
    return np.asarray(np.divide(counts, rows, out=np.zeros_like(counts), where=rows > 0))
