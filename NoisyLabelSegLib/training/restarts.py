"""Restarts: which signs of swapped, lost or overgrown classes end an attempt, and the settings of the next one."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import torch
from torch import Tensor

from NoisyLabelSegLib.training.settings import Settings

WATCHED_FROM = 0.3
"""Share of the steps before which nothing is checked: rare classes take time to appear at all."""

VANISHED = 0.05
"""A class is lost when the sum of its probabilities is below this share of the labels that mark it."""

OVERGROWN, OVERGROWN_FROM, FEWEST_EPOCHS = 10, 0.6, 5
"""A class has overgrown when the network is confident of it so many times more often than annotators mark it.

With one label a scan nothing forbids calling, say, all the air a lesion that everybody omits. Early in a run good
networks, too, predict a rare class in too many places; a run of very few epochs ends there and is not checked. Only
voxels with a probability above a half count: over a large background the small probabilities of a network that is still
uncertain add up to many times the size of a small object."""


def is_late(epoch: int, epochs: int) -> bool:
    """Whether a class that is predicted in too many places will stay so."""
    return epochs >= FEWEST_EPOCHS and epoch >= OVERGROWN_FROM * epochs


def what_went_wrong(agreement: Tensor, classes: Sequence[str], *, late: bool = False) -> str:
    """What is wrong with the run, as a clause of a sentence; "" if nothing is.

    agreement (L + 1, L): how often label i coincides with the estimated class j, and last with a probability of class j
    above a half.
    """
    if not torch.isfinite(agreement).all():
        return "its values are no longer finite numbers"
    table, confident = agreement[:-1].double(), agreement[-1]
    total = table.sum().clamp(min=1)
    given, predicted = table.sum(dim=1), table.sum(dim=0)
    for index in range(len(classes)):
        if given[index] == 0:
            continue
        if predicted[index] < VANISHED * given[index]:
            return f"the network no longer predicts {classes[index]}, which the annotators do mark"
        if late and confident[index] < VANISHED * given[index]:
            return f"the network is confident of {classes[index]} hardly anywhere, which the annotators do mark"
        if index > 0 and late and confident[index] > OVERGROWN * given[index]:
            return f"the network predicts {classes[index]} in far more places than the annotators mark"
        by_chance = given[index] * predicted / total
        lift = table[index] / by_chance.clamp(min=1e-12)
        best = int(torch.argmax(lift))
        if best != index and lift[index] < 1:
            return f"the network calls {classes[best]} what the annotators call {classes[index]}"
    return ""


def restart_settings(settings: Settings, attempt: int) -> Settings:
    """The settings of restart number `attempt` (1, 2, ...).

    While the annotators' head is frozen near the identity the network learns from the average label, a fused truth;
    so it finds the structure before annotators' errors can explain it away. A smaller trace rewards such errors less.
    """
    return dataclasses.replace(
        settings,
        seed=settings.seed + 7919 * attempt,
        freeze=min(0.6, max(0.3, settings.freeze) + 0.15 * (attempt - 1)),
        identity_warm_up=0.0,
        trace=settings.trace * 0.5**attempt,
        start_diagonal=max(settings.start_diagonal, 0.88),
    )
