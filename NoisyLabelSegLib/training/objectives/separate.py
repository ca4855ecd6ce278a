"""The objective of separate networks: each learns from the labels of one annotator."""

from __future__ import annotations

import dataclasses

import torch
from torch import Tensor

from NoisyLabelSegLib.networks import Architecture, SegmentationNetwork
from NoisyLabelSegLib.networks.losses import dice_loss, label_cross_entropy
from NoisyLabelSegLib.networks.separate import SeparateNetworks
from NoisyLabelSegLib.training.objectives.base import Counts, Learner, Objective, Terms, agreement_counts
from NoisyLabelSegLib.training.reliability import LabelSummary
from NoisyLabelSegLib.training.samples import Batch
from NoisyLabelSegLib.training.settings import Settings


class SeparateLearner(Learner):
    """One network per annotator, trained on that annotator's labels."""

    learns_annotators = True

    def architecture(self, settings: Settings, *, channels: int, classes: int, annotators: int) -> Architecture:
        plain = super().architecture(settings, channels=channels, classes=classes, annotators=annotators)
        return dataclasses.replace(plain, network="separate")

    def objective(self, network: SegmentationNetwork, settings: Settings, labels: LabelSummary) -> SeparateObjective:
        return SeparateObjective(network, settings)


class SeparateObjective(Objective):
    """Cross-entropy and Dice loss of every annotator's own network on the images that the annotator labeled."""

    network: SeparateNetworks

    def forward(self, batch: Batch, done: float, whole: Counts | None = None) -> Terms:
        whole, labels = whole or Counts.of(batch), batch.labels.flatten(2)
        classes, device = self.network.architecture.classes, labels.device
        loss, likelihood = torch.zeros((), device=device), torch.zeros((), device=device)
        agreement = torch.zeros(classes + 1, classes, device=device)
        for annotator in range(labels.shape[1]):
            chosen = (labels[:, annotator] >= 0).any(dim=1)
            if not chosen.any():
                loss = loss + self._nothing(annotator)
                continue
            own = labels[chosen, annotator]
            log_said = self.network.said(annotator, batch.images[chosen])
            share = (own >= 0).sum() / whole.labels
            cross_entropy = share * label_cross_entropy(log_said, own)
            loss = loss + cross_entropy + share * self._settings.overlap * dice_loss(log_said, own)
            likelihood = likelihood + cross_entropy.detach()
            agreement = agreement + agreement_counts(own[:, None], log_said)
        return Terms(loss, likelihood, agreement)

    def _nothing(self, annotator: int) -> Tensor:
        """0, with a gradient of 0: several devices wait for every parameter's."""
        parts = [parameter.sum() for parameter in self.network.each[annotator].parameters()]
        return 0.0 * torch.stack(parts).sum()
