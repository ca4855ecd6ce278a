"""What STAPLE assumes before it looks at the votes: how common each class is, and how much background counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.table import Floats, VoteTable

BACKGROUNDS = ("disputed", "union", "itk")
PRIORS = ("votes", "estimated", "flat")

_MOST_FOREGROUND = 1 - 1e-6  # however large the confidence weight: background must stay possible


def weigh_background(table: VoteTable, background: str) -> Floats:
    """The counts (P,) that the estimation uses; see `staple`."""
    if background not in BACKGROUNDS:
        raise UserError(f"There is no background weighting {background!r}", remedy=f"use {', '.join(BACKGROUNDS)}")
    if background == "itk":
        return table.counts
    most = table.counts[table.is_disputed if background == "disputed" else ~table.is_background].sum()
    unmarked = table.counts[table.is_background].sum()
    if most == 0 or unmarked <= most:
        return table.counts
    return np.where(table.is_background, table.counts * (most / unmarked), table.counts)


def first_prior(table: VoteTable, prior: str | Sequence[float], counts: Floats) -> Floats:
    """The prior (K,) over the table's values that the estimation begins with."""
    if isinstance(prior, str):
        if prior not in PRIORS:
            raise UserError(f"There is no prior {prior!r}", remedy=f"use {', '.join(PRIORS)} or one number per class")
        weights = np.ones(len(table.values)) if prior == "flat" else counts @ table.tallies
    else:
        given = np.asarray(prior, dtype=np.float64)
        if len(given) <= table.values.max() or (given < 0).any() or not given.sum() > 0:
            raise UserError("The prior does not fit the classes", remedy="give one number from 0 to 1 per class")
        weights = given[table.values]
    return np.asarray(weights / weights.sum()) if weights.any() else np.full(len(weights), 1 / len(weights))


def confident(prior: Floats, weight: float) -> Floats:
    """The prior with its foreground multiplied by `weight`, the background taking up the difference."""
    if weight == 1:
        return prior
    if not weight > 0:
        raise UserError(f"The confidence weight {weight:g} is not above zero")
    foreground = prior[1:] * weight
    foreground /= max(1.0, foreground.sum() / _MOST_FOREGROUND)
    return np.concatenate([[1 - foreground.sum()], foreground])
