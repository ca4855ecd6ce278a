"""The objective of PHiSeg: one annotator's label at a time, explained by codes at several resolutions."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from NoisyLabelSegLib.networks import Architecture, SegmentationNetwork
from NoisyLabelSegLib.networks.losses import label_cross_entropy
from NoisyLabelSegLib.networks.phiseg import LATENT, CodeHierarchy, Level, PHiSegNetwork, most_likely
from NoisyLabelSegLib.training.objectives.base import Counts, Learner, Objective, Terms, agreement_counts
from NoisyLabelSegLib.training.objectives.probabilistic import encoded, normal_divergence, one_annotator
from NoisyLabelSegLib.training.reliability import LabelSummary
from NoisyLabelSegLib.training.samples import Batch
from NoisyLabelSegLib.training.settings import Settings


class PHiSegLearner(Learner):
    """Learns the distribution of labels, from coarse to fine, without asking who drew them."""

    def architecture(self, settings: Settings, *, channels: int, classes: int, annotators: int) -> Architecture:
        plain = super().architecture(settings, channels=channels, classes=classes, annotators=annotators)
        return dataclasses.replace(plain, network="phiseg", network_arguments={"latent": LATENT})

    def objective(self, network: SegmentationNetwork, settings: Settings, labels: LabelSummary) -> PHiSegObjective:
        assert isinstance(network, PHiSegNetwork)
        return PHiSegObjective(network, settings)


class PHiSegObjective(Objective):
    """The evidence lower bound of one label of each image, chosen at random among those that were given.

    Cross-entropy of the labelings of all levels under codes of the posterior, and the divergences of the posterior from
    the prior, weighted by how many codes of the finest level a code stands for. Held-out labels are scored under the
    prior's mean codes.
    """

    network: PHiSegNetwork

    def __init__(self, network: PHiSegNetwork, settings: Settings) -> None:
        super().__init__(network, settings)
        design = network.architecture
        latent = int(design.network_arguments.get("latent", LATENT))
        channels = design.channels + design.classes
        self.posterior = CodeHierarchy(design.dimensions, channels, design.widths, latent)

    @property
    def auxiliary(self) -> nn.Module:
        return self.posterior

    def forward(self, batch: Batch, done: float, whole: Counts | None = None) -> Terms:
        network, labels, size = self.network, batch.labels, batch.images.shape[2:]
        chosen = labels[torch.arange(len(labels)), one_annotator(labels)]
        flat, features = chosen.flatten(1), network.prior.features(batch.images)
        if not self.training:
            log_said = self._expected(features, size)
            likelihood = label_cross_entropy(log_said, flat)
            return Terms(likelihood, likelihood, agreement_counts(labels.flatten(2), log_said))
        posterior = self.posterior(torch.cat([batch.images, encoded(chosen, batch.images, network)], dim=1), _drawn)
        codes = [level.code for level in posterior]
        prior = network.prior.levels(features, lambda level, _mean, _log_deviation: codes[level])
        total = (labels >= 0).any(dim=1).sum().clamp(min=1) if whole is None else whole.pixels
        share = (flat >= 0).sum() / total
        losses = [
            label_cross_entropy(logits.flatten(2).log_softmax(dim=1), flat) for logits in network.labelings(codes, size)
        ]
        loss = share * torch.stack(losses).sum() + _divergence(posterior, prior) / total
        with torch.no_grad():
            agreement = agreement_counts(labels.flatten(2), self._expected(features, size))
        return Terms(loss, (share * losses[0]).detach(), agreement)

    def _expected(self, features: Sequence[Tensor], size: Sequence[int]) -> Tensor:
        """Log probabilities (B, L, P) under the prior's mean codes."""
        codes = [level.code for level in self.network.prior.levels(features, most_likely)]
        return self.network.labelings(codes, size)[0].flatten(2).log_softmax(dim=1)


def _divergence(posterior: Sequence[Level], prior: Sequence[Level]) -> Tensor:
    """Of all codes together, each counted as many times as there are codes of the finest level in its place."""
    divergence = torch.zeros((), device=posterior[0].code.device)
    for ours, theirs in zip(posterior, prior, strict=True):
        places = posterior[0].code[0, 0].numel() / ours.code[0, 0].numel()
        pair = [(level.mean.flatten(1), level.log_deviation.flatten(1)) for level in (ours, theirs)]
        divergence = divergence + places * normal_divergence(*pair).sum()
    return divergence


def _drawn(_level: int, mean: Tensor, log_deviation: Tensor) -> Tensor:
    return mean + log_deviation.exp() * torch.randn_like(mean)
