"""Training on the pixels that annotators agree on, the others filled in by the network (the idea of LF-Net, 2024)."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from NoisyLabelSegLib.networks import SegmentationNetwork
from NoisyLabelSegLib.networks.losses import soft_cross_entropy, target_dice_loss
from NoisyLabelSegLib.training.objectives.base import Counts, Learner, Objective, Terms, agreement_counts
from NoisyLabelSegLib.training.objectives.fused import one_hot
from NoisyLabelSegLib.training.reliability import LabelSummary
from NoisyLabelSegLib.training.samples import Batch
from NoisyLabelSegLib.training.settings import Settings


class AgreedLearner(Learner):
    """Trains on what all annotators of a case agree on; with a single label, on that label."""

    def target(self, labels: NDArray[np.int16], truth: NDArray[np.int16], classes: int) -> NDArray[np.float32]:
        return one_hot(agreed(labels), classes)

    def objective(self, network: SegmentationNetwork, settings: Settings, labels: LabelSummary) -> AgreedObjective:
        return AgreedObjective(network, settings)


class AgreedObjective(Objective):
    """Cross-entropy, and `overlap` times a Dice loss, to agreed pixels; after the share `as_given` of the steps to all.

    The class of a pixel that annotators disagree on is then the one that the network itself holds most likely.
    """

    def forward(self, batch: Batch, done: float, whole: Counts | None = None) -> Terms:
        assert batch.target is not None
        whole = whole or Counts.of(batch)
        log_truth, target, labels = (
            self.network(batch.images).log_truth,
            batch.target.flatten(2),
            batch.labels.flatten(2),
        )
        known = target.sum(dim=1) > 0
        if done >= self._settings.as_given:
            open_pixels = ~known & (labels >= 0).any(dim=1)
            target, known = filled(target, open_pixels, log_truth), known | open_pixels
        share = known.sum() / whole.pixels
        cross_entropy = share * soft_cross_entropy(log_truth, target, known)
        loss = cross_entropy + share * self._settings.overlap * target_dice_loss(log_truth, target, known)
        return Terms(loss, cross_entropy.detach(), agreement_counts(labels, log_truth))


def agreed(labels: NDArray[np.int16]) -> NDArray[np.int16]:
    """The label (*shape) that all annotators give, -1 where they differ; labels (R, *shape), negative where unknown.

    An annotator without any mark is left out where somebody else marked something: an empty label outlines nothing
    that others could agree with.
    """
    given = np.array([row.flat[0] >= 0 for row in labels])
    marked = (labels > 0).reshape(len(labels), -1).any(axis=1)
    chosen = labels[given & (marked if marked.any() else given)]
    if not len(chosen):
        return np.full(labels.shape[1:], -1, dtype=np.int16)
    return np.where((chosen == chosen[0]).all(axis=0), chosen[0], np.int16(-1))


@torch.no_grad()
def filled(target: Tensor, open_pixels: Tensor, log_truth: Tensor) -> Tensor:
    """The target (B, L, P) with the most likely class of p at open pixels (B, P)."""
    likeliest = torch.nn.functional.one_hot(log_truth.argmax(dim=1), log_truth.shape[1]).movedim(-1, 1)
    return torch.where(open_pixels[:, None], likeliest.to(target.dtype), target)
