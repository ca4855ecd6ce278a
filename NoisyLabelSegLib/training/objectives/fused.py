"""Training on one fused label per case (majority vote, mean, STAPLE): cross-entropy and Dice loss to a target."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from NoisyLabelSegLib.fusion import fuse
from NoisyLabelSegLib.networks import SegmentationNetwork
from NoisyLabelSegLib.networks.losses import soft_cross_entropy, soft_dice_loss, target_dice_loss
from NoisyLabelSegLib.training.objectives.base import Counts, Learner, Objective, Terms, agreement_counts
from NoisyLabelSegLib.training.reliability import LabelSummary
from NoisyLabelSegLib.training.samples import Batch
from NoisyLabelSegLib.training.settings import Settings


class TargetObjective(Objective):
    """Cross-entropy, and the setting `overlap` times a Dice loss, to `batch.target`."""

    def __init__(self, network: SegmentationNetwork, settings: Settings, *, soft: bool = False) -> None:
        """soft: the target's probabilities are to be learned, not only its most probable class."""
        super().__init__(network, settings)
        self._soft = soft

    def forward(self, batch: Batch, done: float, whole: Counts | None = None) -> Terms:
        assert batch.target is not None
        whole = whole or Counts.of(batch)
        log_truth, target = self.network(batch.images).log_truth, batch.target.flatten(2)
        known = target.sum(dim=1) > 0
        share = known.sum() / whole.pixels
        cross_entropy = share * soft_cross_entropy(log_truth, target, known)
        loss = cross_entropy + share * self._overlap(log_truth, target, known)
        return Terms(loss, cross_entropy.detach(), agreement_counts(batch.labels.flatten(2), log_truth))

    def _overlap(self, log_truth: Tensor, target: Tensor, known: Tensor) -> Tensor:
        if not self._settings.overlap:
            return torch.zeros((), device=log_truth.device)
        dice_loss = soft_dice_loss if self._soft else target_dice_loss
        return self._settings.overlap * dice_loss(log_truth, target, known)


FUSIONS: dict[str, tuple[str, dict[str, str]]] = {"staple-itk": ("staple", {"compatible": "itk"})}
"""Learner to fusion method and options, where the learner is not called as the method whose defaults it uses."""


class FusedLearner(Learner):
    """Trains on the labels of a fusion method, the learner's name; on its probabilities if that is "mean"."""

    def target(self, labels: NDArray[np.int16], truth: NDArray[np.int16], classes: int) -> NDArray[np.float32]:
        given = [row.astype(np.uint8) for row in labels if row.flat[0] >= 0]
        method, options = FUSIONS.get(self.name, (self.name, {}))
        fusion = fuse(given, method=method, classes=classes, **options)
        if self.name == "mean":
            return np.asarray(fusion.probabilities, dtype=np.float32)
        return one_hot(fusion.labels, classes)

    def objective(self, network: SegmentationNetwork, settings: Settings, labels: LabelSummary) -> TargetObjective:
        return TargetObjective(network, settings, soft=self.name == "mean")


def one_hot(labels: NDArray[np.integer], classes: int) -> NDArray[np.float32]:
    """(L, *shape) float32, 1 for the class of labels (*shape); all 0 where a label is negative."""
    numbers = np.arange(classes).reshape(-1, *[1] * labels.ndim)
    encoded: NDArray[np.float32] = np.equal(numbers, labels).astype(np.float32)
    return encoded
