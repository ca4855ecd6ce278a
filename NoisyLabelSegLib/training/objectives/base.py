"""What every learner and every objective provides, and the figures that all objectives report."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from NoisyLabelSegLib.networks import Architecture, SegmentationNetwork, build_network
from NoisyLabelSegLib.training.reliability import LabelSummary
from NoisyLabelSegLib.training.samples import Batch
from NoisyLabelSegLib.training.settings import Settings


class Terms(NamedTuple):
    """The loss to minimize, its likelihood part (detached), and the agreement counts of `agreement_counts`."""

    loss: Tensor
    likelihood: Tensor
    agreement: Tensor


class Counts(NamedTuple):
    """What the means of a step are taken over: all labels, and the pixels with a target (or any label or truth)."""

    labels: Tensor
    pixels: Tensor

    @classmethod
    def of(cls, batch: Batch) -> Counts:
        known = batch.labels >= 0
        labeled = known.any(dim=1) | (batch.truth >= 0)
        with_target = labeled if batch.target is None else batch.target.sum(dim=1) > 0
        return cls(known.sum().clamp(min=1), with_target.sum().clamp(min=1))


class Objective(nn.Module, ABC):
    """A network together with its loss, so that one forward call is one step on any number of devices.

    `network` is what the model package keeps. `auxiliary` is a module that only training uses, or None; the checkpoint
    keeps it.
    """

    def __init__(self, network: SegmentationNetwork, settings: Settings) -> None:
        super().__init__()
        self.network = network
        self._settings = settings

    @abstractmethod
    def forward(self, batch: Batch, done: float, whole: Counts | None = None) -> Terms:
        """done: the share of all steps taken so far; whole: the counts of the step's batch, if `batch` is a part of it.

        The terms of all parts add up to those of the whole batch, except for Dice losses, which are those of each part.
        """

    @property
    def auxiliary(self) -> nn.Module | None:
        return None


class Learner(ABC):
    """A kind of network with its objective: what it is trained on, what it is built from, and its loss."""

    needs_labels = True
    """Whether a case without annotators' labels is left out of the training; if not, one without truth is."""
    needs_truth = False
    """Whether every training case must have a known truth."""
    learns_annotators = False
    """Whether the model can predict annotators, so that one without labels is worth a remark."""

    def __init__(self, name: str) -> None:
        self.name = name

    def target(self, labels: NDArray[np.int16], truth: NDArray[np.int16], classes: int) -> NDArray[np.float32] | None:
        """Probabilities (L, *shape) float32 to train on; None where the objective uses the labels themselves.

        labels: (R, *shape) int16, negative for an annotator who did not label; truth: (*shape) int16.
        """
        return None

    def architecture(self, settings: Settings, *, channels: int, classes: int, annotators: int) -> Architecture:
        """What the network is built from; here one without annotators."""
        return Architecture(
            dimensions=settings.dimensions,
            channels=channels,
            classes=classes,
            annotators=annotators,
            confusion="none",
            rank=min(settings.rank, classes),
            start_diagonal=settings.start_diagonal,
            trunk=settings.trunk,
            widths=settings.widths,
            trunk_arguments=settings.trunk_arguments,
        )

    def network(self, architecture: Architecture, labels: LabelSummary) -> SegmentationNetwork:
        """The network as training starts with it."""
        return build_network(architecture)

    @abstractmethod
    def objective(self, network: SegmentationNetwork, settings: Settings, labels: LabelSummary) -> Objective:
        """The objective of a network that `network` made."""


@torch.no_grad()
def agreement_counts(labels: Tensor, log_truth: Tensor) -> Tensor:
    """How often label i was given where p says j, (L + 1, L): sums of p_j over labels i, and last of [p_j > 0.5].

    labels: (B, R, P), negative where unknown; log_truth: log p, (B, L, P). Enough to see classes swapped or lost.
    """
    truth, classes = log_truth.exp(), log_truth.shape[1]
    rows = [(labels == label).sum(dim=1, keepdim=True) * truth for label in range(classes)]
    confident = (labels >= 0).sum(dim=1, keepdim=True) * (truth > 0.5)
    return torch.stack([row.sum(dim=(0, 2)) for row in (*rows, confident)])
