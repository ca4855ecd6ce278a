"""What changes as training goes on, as functions of the share of steps done."""

from __future__ import annotations

import math

from torch import nn
from torch.optim import AdamW

from NoisyLabelSegLib.training.settings import Settings


def make_optimizer(objective: nn.Module, annotator_head: nn.Module | None, settings: Settings) -> AdamW:
    """AdamW with the annotators' head, a part of the objective, in a group of its own, so that it can wait."""
    head = [] if annotator_head is None else list(annotator_head.parameters())
    chosen = {id(parameter) for parameter in head}
    rest = [parameter for parameter in objective.parameters() if id(parameter) not in chosen]
    groups = [{"params": rest, "waits": False}, *([{"params": head, "waits": True}] if head else [])]
    return AdamW(groups, lr=settings.learning_rate, weight_decay=settings.weight_decay)


def set_rates(optimizer: AdamW, settings: Settings, done: float) -> None:
    """Sets the learning rates for a step when the share `done` of all steps lies behind."""
    rate = settings.learning_rate * _rate(settings, done)
    for group in optimizer.param_groups:
        group["lr"] = 0.0 if group["waits"] and done < settings.freeze else rate


def trace_weight(settings: Settings, done: float) -> float:
    """Lambda: during the paper's warm-up the trace is pushed up, afterwards down."""
    return -1.0 if done < settings.identity_warm_up else settings.trace


def _rate(settings: Settings, done: float) -> float:
    if done < settings.warm_up:
        return (done + 1e-3) / settings.warm_up
    if settings.schedule == "constant":
        return 1.0
    return 0.5 * (1 + math.cos(math.pi * (done - settings.warm_up) / (1 - settings.warm_up)))
