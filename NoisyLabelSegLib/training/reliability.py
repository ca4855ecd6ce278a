"""What the labels of a study tell about its annotators before any training: who is silent, and whom to believe."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.fusion.table import Floats, VoteTable

FLOOR = 0.03
"""Keeps the trust in somebody who never errs finite."""

SILENT_VOICE = 0.5
"""What the word of somebody who never marks some class weighs."""

MOST_ROUNDS = 50


def silent_annotators(votes: VoteTable, classes: int) -> NDArray[np.bool_]:
    """Who never uses a class that others do, (R, L) bool; nobody is silent about background or without labels."""
    used = np.zeros((votes.annotators, classes), dtype=np.bool_)
    used[:, votes.values] = votes.tallies_by_annotator > 0
    silent: NDArray[np.bool_] = ~used & used.any(axis=0) & used.any(axis=1, keepdims=True)
    silent[:, 0] = False
    return silent


def has_single_labels(votes: VoteTable) -> bool:
    """Whether there are voxels that one annotator alone looked at."""
    return bool(((votes.symbols >= 0).sum(axis=1) == 1).any())


def trust_in_annotators(votes: VoteTable, classes: int) -> NDArray[np.float32]:
    """How much each annotator's word weighs where annotators disagree, (R,), 1 on average.

    The truth is taken to be the weighted vote that makes the sum over annotators r of log(e_r + FLOOR) small, e_r
    being r's errors as a share of what is marked: errors that belong to few annotators are likelier than errors that
    everyone shares. A weight is the slope of that, 1 / (e_r + FLOOR); votes and weights follow from each other until
    they stand still, starting from equal ones. Those who never mark some class count half; voxels that fewer than two
    looked at tell nothing, and whoever was never compared weighs as much as the others do on average.
    """
    voice = np.where(silent_annotators(votes, classes).any(axis=1), SILENT_VOICE, 1.0)
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
