"""What the labels of a study tell about its annotators before any training: who is silent, and whom to believe."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.fusion.table import Floats, VoteTable

FLOOR = 0.03
"""Keeps the trust in somebody who never errs finite."""

SILENT_VOICE = 0.5
"""What the word of somebody who never marks some class weighs."""

CHANCE = 0.05
"""Below this probability it is no chance that somebody never met a class."""

MOST_ROUNDS = 50


def silent_annotators(cases: Sequence[VoteTable], classes: int) -> NDArray[np.bool_]:
    """Who never uses a class that others do, (R, L) bool, and not by chance; nobody is silent about background.

    It is no chance where somebody else saw the class in the same case, or where it would be odd to have met, among as
    many cases as this annotator looked at, none with the class.
    """
    looked = np.array([(table.symbols >= 0).any(axis=0) for table in cases])
    used = np.zeros((*looked.shape, classes), dtype=np.bool_)
    for table, row in zip(cases, used, strict=True):
        row[:, table.values] = table.tallies_by_annotator > 0
    times, cases_with = used.sum(axis=0), np.asarray(used.any(axis=1))
    looks = looked.sum(axis=0)[:, None]
    seen_beside = (looked[:, :, None] & cases_with[:, None]).any(axis=0)
    others_rate = (times.sum(axis=0) - times) / np.maximum(looks.sum() - looks, 1)
    silent: NDArray[np.bool_] = (times == 0) & (looks > 0) & (seen_beside | ((1 - others_rate) ** looks < CHANCE))
    silent[:, 0] = False
    return silent


def absent_annotators(votes: VoteTable) -> NDArray[np.bool_]:
    """Who looked at nothing, (R,) bool."""
    return np.asarray((votes.symbols < 0).all(axis=0))


def has_single_labels(votes: VoteTable) -> bool:
    """Whether there are voxels that one annotator alone looked at."""
    return bool(((votes.symbols >= 0).sum(axis=1) == 1).any())


def trust_in_annotators(votes: VoteTable, silent: NDArray[np.bool_]) -> NDArray[np.float32]:
    """How much each annotator's word weighs where annotators disagree, (R,).

    The truth is taken to be the weighted vote that makes the sum over annotators r of log(e_r + FLOOR) small, e_r
    being r's errors as a share of what is marked: errors that belong to few annotators are likelier than errors that
    everyone shares. A weight is the slope of that, 1 / (e_r + FLOOR); votes and weights follow from each other until
    they stand still, starting from equal ones. Who is silent about a class counts half; voxels that fewer than two
    looked at tell nothing, and whoever was never compared weighs as much as the others do on average.
    """
    voice = np.where(silent.any(axis=1), SILENT_VOICE, 1.0)
    known = votes.symbols >= 0
    compared = known.sum(axis=1) > 1
    weights: Floats = voice
    counts = np.where(compared, votes.counts, 0.0)
    marked = counts @ (known & (votes.votes > 0))
    if not marked.any():
        return np.asarray(voice, dtype=np.float32)
    for _ in range(MOST_ROUNDS):
        truth = _weighted_vote(votes, weights)
        wrong = counts @ (known & (votes.symbols != truth[:, None]))
        foreground = counts @ (known & ((votes.votes > 0) | (truth > 0)[:, None]))
        before, weights = weights, voice / (wrong / np.maximum(foreground, 1) + FLOOR)
        weights[foreground == 0] = weights[foreground > 0].mean()
        if np.allclose(before, weights):
            break
    return np.asarray(weights / weights.mean(), dtype=np.float32)


def _weighted_vote(votes: VoteTable, weights: Floats) -> NDArray[np.intp]:
    """The place among the values of the label with most weight, (P,), for weights (R,); the lowest of equals."""
    totals = np.stack([(votes.symbols == place) @ weights for place in range(len(votes.values))], axis=1)
    return np.asarray(totals.argmax(axis=1), dtype=np.intp)
