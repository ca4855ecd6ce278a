"""The objective of the annotator-conditioned network: each label is explained by the code of who drew it."""

from __future__ import annotations

import dataclasses

import torch

from NoisyLabelSegLib.networks import Architecture, SegmentationNetwork
from NoisyLabelSegLib.networks.conditioned import LATENT, ConditionedNetwork
from NoisyLabelSegLib.networks.losses import dice_loss, label_cross_entropy
from NoisyLabelSegLib.training.objectives.base import Counts, Learner, Objective, Terms, agreement_counts
from NoisyLabelSegLib.training.objectives.probabilistic import normal_divergence, one_annotator
from NoisyLabelSegLib.training.reliability import LabelSummary
from NoisyLabelSegLib.training.samples import Batch
from NoisyLabelSegLib.training.settings import Settings

DIVERGENCE_WEIGHT = 1e-3
"""Keeps the codes near a standard normal distribution; larger ones make the annotators alike."""


class ConditionedLearner(Learner):
    """Learns every annotator's labels, and how much an annotator varies, without a truth apart from them."""

    learns_annotators = True

    def architecture(self, settings: Settings, *, channels: int, classes: int, annotators: int) -> Architecture:
        plain = super().architecture(settings, channels=channels, classes=classes, annotators=annotators)
        return dataclasses.replace(plain, network="conditioned", network_arguments={"latent": LATENT})

    def objective(self, network: SegmentationNetwork, settings: Settings, labels: LabelSummary) -> ConditionedObjective:
        return ConditionedObjective(network, settings)


class ConditionedObjective(Objective):
    """Cross-entropy, and `overlap` times a Dice loss, of one label of each image under a draw of the annotator's code.

    The divergence keeps the codes of all annotators near a standard normal distribution.
    """

    network: ConditionedNetwork

    def forward(self, batch: Batch, done: float, whole: Counts | None = None) -> Terms:
        network, labels = self.network, batch.labels
        features, who = network.features(batch.images), one_annotator(labels)
        mean, log_deviation = network.means[who], network.log_deviations[who]
        noise = torch.randn_like(mean) if self.training else torch.zeros_like(mean)
        log_said = network.labeling(features, mean + log_deviation.exp() * noise)
        flat = labels[torch.arange(len(labels)), who].flatten(1)
        total = (labels >= 0).any(dim=1).sum().clamp(min=1) if whole is None else whole.pixels
        share = (flat >= 0).sum() / total
        cross_entropy = share * label_cross_entropy(log_said, flat)
        loss = cross_entropy + share * self._settings.overlap * dice_loss(log_said, flat)
        normal = (torch.zeros_like(network.means), torch.zeros_like(network.means))
        divergence = normal_divergence((network.means, network.log_deviations), normal).mean()
        with torch.no_grad():
            each = [network.labeling(features, code).exp() for code in network.means]
            agreement = agreement_counts(labels.flatten(2), torch.stack(each).mean(dim=0).clamp(min=1e-9).log())
        return Terms(loss + share * DIVERGENCE_WEIGHT * divergence, cross_entropy.detach(), agreement)
