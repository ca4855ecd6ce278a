"""Votes as the only target of p: the coupled objective without matrices, and a majority without silent annotators."""

from __future__ import annotations

import torch
from torch import Tensor

from NoisyLabelSegLib.networks import CoupledNetwork, SegmentationNetwork
from NoisyLabelSegLib.networks.losses import (
    label_cross_entropy,
    reliability_weighted_vote,
    soft_cross_entropy,
    target_dice_loss,
)
from NoisyLabelSegLib.training.objectives.base import Counts, Learner, Objective, Terms, agreement_counts
from NoisyLabelSegLib.training.objectives.coupled import CoupledObjective, label_imputation
from NoisyLabelSegLib.training.reliability import LabelSummary
from NoisyLabelSegLib.training.samples import Batch
from NoisyLabelSegLib.training.settings import Settings


class VotesLearner(Learner):
    """The votes that the coupled networks are trained on, without confusion matrices: an ablation."""

    def objective(self, network: SegmentationNetwork, settings: Settings, labels: LabelSummary) -> VotesObjective:
        assert isinstance(network, CoupledNetwork)
        imputation = label_imputation(settings, labels)
        return VotesObjective(network, settings, torch.from_numpy(labels.weights), imputation)


class VotesObjective(CoupledObjective):
    """The distance of p from the reliability-weighted vote, or from the vote with imputed labels."""

    def _coupled(
        self, features: Tensor, log_truth: Tensor, labels: Tensor, several: Tensor, weight: float, whole: Counts
    ) -> tuple[Tensor, Tensor]:
        """No likelihood and no trace; the figure for the record is the cross-entropy of all labels under p."""
        with torch.no_grad():
            annotators = labels.shape[1]
            likelihood = label_cross_entropy(log_truth.repeat_interleave(annotators, dim=0), labels.flatten(0, 1))
            likelihood = (labels >= 0).sum() / whole.labels * likelihood
        return torch.zeros((), device=labels.device), likelihood


class MarkersLearner(Learner):
    """The majority vote of annotators who mark anything; the labels of silent ones are left out."""

    def objective(self, network: SegmentationNetwork, settings: Settings, labels: LabelSummary) -> MarkersObjective:
        silent = labels.unused[:, 1:].all(axis=1)
        return MarkersObjective(network, settings, torch.from_numpy(~silent).float())


class MarkersObjective(Objective):
    """Cross-entropy and Dice loss to the label with most votes, the lowest of tied ones."""

    weights: Tensor

    def __init__(self, network: SegmentationNetwork, settings: Settings, weights: Tensor) -> None:
        """weights: 1 for an annotator whose labels count, 0 for one whose labels are left out, (R,)."""
        super().__init__(network, settings)
        self.register_buffer("weights", weights, persistent=False)

    def forward(self, batch: Batch, done: float, whole: Counts | None = None) -> Terms:
        whole, labels = whole or Counts.of(batch), batch.labels.flatten(2)
        log_truth = self.network(batch.images).log_truth
        vote = reliability_weighted_vote(labels, self.weights, log_truth.shape[1])
        known = vote.sum(dim=1) > 0
        target = torch.zeros_like(vote).scatter_(1, vote.argmax(dim=1, keepdim=True), 1.0) * known[:, None]
        share = known.sum() / whole.pixels
        cross_entropy = share * soft_cross_entropy(log_truth, target, known)
        loss = cross_entropy
        if self._settings.overlap:
            loss = loss + share * self._settings.overlap * target_dice_loss(log_truth, target, known)
        return Terms(loss, cross_entropy.detach(), agreement_counts(labels, log_truth))
