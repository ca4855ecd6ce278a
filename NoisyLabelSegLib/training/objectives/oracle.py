"""Training with what no study of noisy labels has: the truth itself, or the real confusion matrices."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from NoisyLabelSegLib.networks import SegmentationNetwork
from NoisyLabelSegLib.networks.confusion import counted_rows
from NoisyLabelSegLib.networks.losses import joint_likelihood, target_dice_loss
from NoisyLabelSegLib.training.objectives.base import Counts, Learner, Objective, Terms, agreement_counts
from NoisyLabelSegLib.training.objectives.fused import TargetObjective, one_hot
from NoisyLabelSegLib.training.reliability import LabelSummary
from NoisyLabelSegLib.training.samples import Batch
from NoisyLabelSegLib.training.settings import Settings


class TruthLearner(Learner):
    """Trains on the known truth: what a network reaches with perfect labels."""

    needs_labels = False
    needs_truth = True

    def target(self, labels: NDArray[np.int16], truth: NDArray[np.int16], classes: int) -> NDArray[np.float32]:
        return one_hot(truth, classes)

    def objective(self, network: SegmentationNetwork, settings: Settings, labels: LabelSummary) -> TargetObjective:
        return TargetObjective(network, settings)


class KnownConfusionLearner(Learner):
    """Trains on all labels with the real confusion matrices in place of learned ones: the paper's oracle row."""

    needs_truth = True

    def objective(
        self, network: SegmentationNetwork, settings: Settings, labels: LabelSummary
    ) -> KnownConfusionObjective:
        return KnownConfusionObjective(network, settings)


class KnownConfusionObjective(Objective):
    """The joint likelihood of the labels under the matrices of each annotator in each image, counted with the truth.

    Cross-entropy alone hardly learns rare classes, so that there is a Dice loss, too: to the most probable class given
    the labels, the matrices and p itself.
    """

    def forward(self, batch: Batch, done: float, whole: Counts | None = None) -> Terms:
        whole = whole or Counts.of(batch)
        log_truth, labels = self.network(batch.images).log_truth, batch.labels.flatten(2)
        known, classes = labels >= 0, log_truth.shape[1]
        rows = counted_rows(labels, batch.truth.flatten(1), classes)
        likelihood = known.sum() / whole.labels * joint_likelihood(rows, log_truth, known)
        loss = likelihood
        if self._settings.overlap:
            evidence = torch.where(known[:, :, None], rows, 0.0).sum(dim=1)
            posterior = (log_truth.detach() + evidence).softmax(dim=1)
            labeled = known.any(dim=1)
            share = labeled.sum() / whole.pixels
            loss = loss + share * self._settings.overlap * target_dice_loss(log_truth, posterior, labeled)
        return Terms(loss, likelihood.detach(), agreement_counts(labels, log_truth))
