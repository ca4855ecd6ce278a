"""The objective of the Probabilistic U-Net: one annotator's label at a time, explained by a latent code."""

from __future__ import annotations

import dataclasses

import torch
import torch.nn.functional as F
from torch import Tensor

from NoisyLabelSegLib.networks import Architecture, SegmentationNetwork
from NoisyLabelSegLib.networks.losses import label_cross_entropy
from NoisyLabelSegLib.networks.probabilistic import LATENT, ProbabilisticUNet
from NoisyLabelSegLib.training.objectives.base import Counts, Learner, Objective, Terms, agreement_counts
from NoisyLabelSegLib.training.reliability import LabelSummary
from NoisyLabelSegLib.training.samples import Batch
from NoisyLabelSegLib.training.settings import Settings

DIVERGENCE_WEIGHT = 10.0
"""Beta of the paper, for the cross-entropy summed over the pixels of an image."""


class ProbabilisticLearner(Learner):
    """Learns the distribution of labels without asking who drew them."""

    def architecture(self, settings: Settings, *, channels: int, classes: int, annotators: int) -> Architecture:
        plain = super().architecture(settings, channels=channels, classes=classes, annotators=annotators)
        return dataclasses.replace(plain, network="probabilistic-unet", network_arguments={"latent": LATENT})

    def objective(
        self, network: SegmentationNetwork, settings: Settings, labels: LabelSummary
    ) -> ProbabilisticObjective:
        return ProbabilisticObjective(network, settings)


class ProbabilisticObjective(Objective):
    """The evidence lower bound of one label of each image, chosen at random among those that were given.

    Cross-entropy under a code of the posterior, and the divergence of the posterior from the prior. Held-out labels are
    scored under the mean code of the prior.
    """

    network: ProbabilisticUNet

    def forward(self, batch: Batch, done: float, whole: Counts | None = None) -> Terms:
        network, labels = self.network, batch.labels
        features, prior = network.features(batch.images), network.prior(batch.images)
        chosen = labels[torch.arange(len(labels)), one_annotator(labels)]
        if not self.training:
            log_said = network.labeling(features, prior[0])
            likelihood = label_cross_entropy(log_said, chosen.flatten(1))
            return Terms(likelihood, likelihood, agreement_counts(labels.flatten(2), log_said))
        mean, log_deviation = network.posterior(torch.cat([batch.images, encoded(chosen, batch.images, network)], 1))
        code = mean + log_deviation.exp() * torch.randn_like(mean)
        log_said, flat = network.labeling(features, code), chosen.flatten(1)
        known = (flat >= 0).sum().clamp(min=1)
        total = (labels >= 0).any(dim=1).sum() if whole is None else whole.pixels
        cross_entropy = known / total * label_cross_entropy(log_said, flat)
        divergence = normal_divergence((mean, log_deviation), prior).sum() / total
        loss = cross_entropy + DIVERGENCE_WEIGHT * divergence
        with torch.no_grad():
            agreement = agreement_counts(labels.flatten(2), network.labeling(features, prior[0]))
        return Terms(loss, cross_entropy.detach(), agreement)


def one_annotator(labels: Tensor) -> Tensor:
    """The number of one of those who labeled each image, at random, (B,); labels (B, R, *S), negative where unknown."""
    given = (labels.flatten(2) >= 0).any(dim=2).float()
    return torch.multinomial(given + 1e-9, 1).squeeze(1)


def encoded(labels: Tensor, images: Tensor, network: SegmentationNetwork) -> Tensor:
    """Labels (B, *S) as channels (B, L, *S), around 0; unknown pixels are background."""
    classes = network.architecture.classes
    return F.one_hot(labels.clamp(min=0), classes).movedim(-1, 1).to(images.dtype) - 0.5


def normal_divergence(posterior: tuple[Tensor, Tensor], prior: tuple[Tensor, Tensor]) -> Tensor:
    """The Kullback-Leibler divergence of normal distributions, each mean and log deviation (B, latent); (B,)."""
    (mean, log_deviation), (prior_mean, prior_log_deviation) = posterior, prior
    spread = torch.exp(2 * (log_deviation - prior_log_deviation))
    distance = ((mean - prior_mean) / prior_log_deviation.exp()) ** 2
    return 0.5 * (spread + distance - 1 - 2 * (log_deviation - prior_log_deviation)).sum(dim=1)
