"""Sees when a run has swapped, lost or overgrown classes, says so in a plain sentence, and knows what to change."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import torch
from torch import Tensor

from NoisyLabelSegLib.training.settings import Settings

WATCHED_FROM = 0.3
"""Share of the steps before which nothing is judged: rare classes need a while to appear at all."""

VANISHED = 0.05
"""A class is lost when the network sees it this many times more seldom than the annotators mark it."""

OVERGROWN, OVERGROWN_FROM, FEWEST_EPOCHS = 10, 0.6, 5
"""A class has overgrown when the network sees it so many times more often than the annotators mark it, late in a run.

With one label a scan nothing forbids calling, say, all the air a lesion that everybody leaves out. Early in a run sound
networks, too, see a rare class in too many places; a run of very few epochs ends there and is not judged."""


def is_late(epoch: int, epochs: int) -> bool:
    """Whether a class that is seen in too many places will stay there."""
    return epochs >= FEWEST_EPOCHS and epoch >= OVERGROWN_FROM * epochs


def what_went_wrong(meetings: Tensor, classes: Sequence[str], *, late: bool = False) -> str:
    """What to say of a lost run, "" of a sound one.

    meetings (L + 1, L): how often label i met the estimated class j, and last how often the network is sure of class j.
    """
    if not torch.isfinite(meetings).all():
        return "its numbers grew beyond all bounds"
    table, sure = meetings[:-1].double(), meetings[-1]
    total = table.sum().clamp(min=1)
    said, seen = table.sum(dim=1), table.sum(dim=0)
    for index in range(len(classes)):
        if said[index] == 0:
            continue
        if seen[index] < VANISHED * said[index]:
            return f"the network no longer sees {classes[index]}, which the annotators do mark"
        if late and sure[index] < VANISHED * said[index]:
            return f"the network is hardly anywhere sure of {classes[index]}, which the annotators do mark"
        if index > 0 and late and seen[index] > OVERGROWN * said[index]:
            return f"the network sees {classes[index]} in far more places than the annotators mark"
        by_chance = said[index] * seen / total
        lift = table[index] / by_chance.clamp(min=1e-12)
        best = int(torch.argmax(lift))
        if best != index and lift[index] < 1:
            return f"the network calls {classes[best]} what the annotators call {classes[index]}"
    return ""


def remedied(settings: Settings, attempt: int) -> Settings:
    """The settings of restart number `attempt` (1, 2, ...).

    While the annotators' head is frozen near the identity the network learns from the average label, a fused truth;
    so it finds the structure before anybody's errors may explain it away. A smaller trace pushes less to explain.
    """
    return dataclasses.replace(
        settings,
        seed=settings.seed + 7919 * attempt,
        freeze=min(0.6, max(0.3, settings.freeze) + 0.15 * (attempt - 1)),
        identity_warm_up=0.0,
        trace=settings.trace * 0.5**attempt,
        start_diagonal=max(settings.start_diagonal, 0.88),
    )
