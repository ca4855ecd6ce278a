"""Training with what no study of noisy labels has: the truth itself, or the real confusion matrices."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.networks import SegmentationNetwork
from NoisyLabelSegLib.networks.confusion import known_rows
from NoisyLabelSegLib.networks.losses import annotator_likelihood
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
    """The likelihood of every annotator's labels under the matrices that the known truth gives."""

    def forward(self, batch: Batch, done: float, whole: Counts | None = None) -> Terms:
        whole = whole or Counts.of(batch)
        log_truth, labels = self.network(batch.images).log_truth, batch.labels.flatten(2)
        rows, known = known_rows(labels, batch.truth.flatten(1), log_truth.shape[1]), labels >= 0
        loss = known.sum() / whole.labels * annotator_likelihood(rows, log_truth, known)
        return Terms(loss, loss.detach(), agreement_counts(labels, log_truth))
