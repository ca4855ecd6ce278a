"""The coupled networks' objective: likelihood of noisy labels, trace, and votes that p is trained on."""

from __future__ import annotations

import dataclasses
from functools import partial

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from NoisyLabelSegLib.networks import Architecture, CoupledNetwork, SegmentationNetwork
from NoisyLabelSegLib.networks.losses import (
    annotator_likelihood,
    dice_loss,
    dominance_hinge,
    joint_likelihood,
    label_cross_entropy,
    reliability_weighted_vote,
    several_labels,
    sharpened,
    soft_cross_entropy,
    target_dice_loss,
    trace,
)
from NoisyLabelSegLib.training.objectives.base import Counts, Learner, Objective, Terms, agreement_counts
from NoisyLabelSegLib.training.objectives.curated import curated_loss, with_curated
from NoisyLabelSegLib.training.objectives.imputation import LabelImputation
from NoisyLabelSegLib.training.reliability import LabelSummary
from NoisyLabelSegLib.training.samples import Batch
from NoisyLabelSegLib.training.settings import Settings

ENTRIES_AT_ONCE = 2**20
"""Matrix entries (B R L L P) computed at once on a CPU, so that they stay in its cache; elsewhere 16 times as many."""
ENTRIES_KEPT = 2**22
"""Above this they are computed again for gradients: the annotators add little to the memory of a step."""

VOTE_SHARPNESS = 4.0
"""The power of the reliability-weighted vote: nobody has more than half of the weight, so its shares are small."""


class CoupledLearner(Learner):
    """The truth and every annotator's confusion matrices, learned from all labels."""

    learns_annotators = True

    def architecture(self, settings: Settings, *, channels: int, classes: int, annotators: int) -> Architecture:
        plain = super().architecture(settings, channels=channels, classes=classes, annotators=annotators)
        return dataclasses.replace(plain, confusion=settings.confusion)

    def network(self, architecture: Architecture, labels: LabelSummary) -> CoupledNetwork:
        return CoupledNetwork(architecture)

    def objective(self, network: SegmentationNetwork, settings: Settings, labels: LabelSummary) -> CoupledObjective:
        assert isinstance(network, CoupledNetwork)
        if settings.start_unused:
            network.start_unused_classes(torch.from_numpy(labels.unused))
        imputation = label_imputation(settings, labels)
        return CoupledObjective(network, settings, torch.from_numpy(labels.weights), imputation)


def label_imputation(settings: Settings, labels: LabelSummary) -> LabelImputation | None:
    """What completes the labels of images with a single one, where there are any and the settings want it."""
    if not (settings.completion and labels.has_single_labels):
        return None
    unused, absent = torch.from_numpy(labels.unused), torch.from_numpy(labels.absent)
    prior = None if labels.prior is None else torch.from_numpy(labels.prior)
    return LabelImputation(settings.widths[0], unused, absent, prior)


class CoupledObjective(Objective):
    """The likelihood and the trace; while training also the distance of p from a vote of the annotators."""

    network: CoupledNetwork
    weights: Tensor

    def __init__(
        self,
        network: CoupledNetwork,
        settings: Settings,
        weights: Tensor | None = None,
        imputation: LabelImputation | None = None,
    ) -> None:
        """weights: reliability weights of the annotators, (R,); None: all the same.

        imputation: completes the labels of images with a single one; None: there the trace alone tells p from A.
        """
        super().__init__(network, settings)
        self.imputation = imputation
        equal = torch.ones(network.architecture.annotators)
        self.register_buffer("weights", equal if weights is None else weights, persistent=False)

    @property
    def auxiliary(self) -> LabelImputation | None:
        return self.imputation

    def forward(self, batch: Batch, done: float, whole: Counts | None = None) -> Terms:
        whole = whole or Counts.of(batch)
        prediction = self.network(batch.images)
        log_truth, labels = prediction.log_truth, batch.labels.flatten(2)
        weight, several = trace_weight(self._settings, done), several_labels(labels)
        truth, explained = batch.truth.flatten(1), log_truth
        curated = not _surely_none(truth >= 0)
        if curated and self.training:
            explained, several = with_curated(log_truth, truth), several | (truth >= 0).any(dim=1)
        loss, likelihood = self._coupled(prediction.features, explained, labels, several, weight, whole)
        if self.training and weight >= 0:
            loss = loss + self._votes(prediction.features, log_truth, labels, truth, done, whole)
            if curated:
                overlap = self._settings.overlap
                loss = loss + self._settings.curated * curated_loss(log_truth, truth, overlap, whole)
        return Terms(loss, likelihood.detach(), agreement_counts(labels, log_truth))

    def _votes(
        self, features: Tensor, log_truth: Tensor, labels: Tensor, truth: Tensor, done: float, whole: Counts
    ) -> Tensor:
        """How far p is from the vote: reliability-weighted where several labeled an image, else partly imputed.

        Where the truth is curated there is no vote; what is imputed is learned from all labels.
        """
        settings, imputation = self._settings, self.imputation
        several, known = several_labels(labels)[:, None], labels >= 0
        labeled = known.any(dim=1) & (truth < 0)
        loss = torch.zeros((), device=labels.device)
        if settings.reliability and not _surely_none(several):
            vote = reliability_weighted_vote(labels, self.weights, log_truth.shape[1])
            vote = sharpened(vote, VOTE_SHARPNESS)
            loss = loss + settings.reliability * self._distance(log_truth, vote, several & labeled, whole)
        if imputation is not None:
            imputed = imputation(features)
            loss = loss + known.sum() / whole.labels * self._imputation_loss(imputed, labels)
            if done < settings.as_given:
                vote, voted = imputation.given_vote(labels)
                voted = voted & labeled
            else:
                vote, voted = imputation.completed_vote(imputed, labels), labeled
            loss = loss + settings.completion * self._distance(log_truth, vote, ~several & voted, whole)
        return loss

    def _imputation_loss(self, imputed: Tensor, labels: Tensor) -> Tensor:
        """How far imputed labels are from those that were given; every annotator counts as an image of their own."""
        imputed, labels = imputed.flatten(0, 1), labels.flatten(0, 1)
        return label_cross_entropy(imputed, labels) + self._settings.overlap * dice_loss(imputed, labels)

    def _distance(self, log_truth: Tensor, target: Tensor, known: Tensor, whole: Counts) -> Tensor:
        """From p to the target over known pixels (B, P), weighted by their share of those that anybody labeled."""
        share = known.sum() / whole.pixels
        cross_entropy = soft_cross_entropy(log_truth, target, known)
        if not self._settings.overlap:
            return share * cross_entropy
        return share * (cross_entropy + self._settings.overlap * target_dice_loss(log_truth, target, known))

    def _coupled(
        self, features: Tensor, log_truth: Tensor, labels: Tensor, several: Tensor, weight: float, whole: Counts
    ) -> tuple[Tensor, Tensor]:
        # Where several labels can be compared the reliability-weighted vote decides, or the truth is known, and the
        # trace, which rewards any explanation by errors, would only disturb it.
        with_trace = ~several if self._settings.reliability else torch.ones_like(several)
        weight = 0.0 if weight > 0 and _surely_none(with_trace) else weight
        entries = len(labels) * labels.shape[2] * self._entries_per_pixel()
        at_once = ENTRIES_AT_ONCE if labels.is_cpu else 16 * ENTRIES_AT_ONCE
        length = max(at_once * labels.shape[2] // entries, 1)
        part = partial(checkpoint, self._part, use_reentrant=False) if entries > ENTRIES_KEPT else self._part
        loss = likelihood = torch.zeros((), device=labels.device)
        for f, p, y in zip(*(torch.split(x, length, dim=2) for x in (features, log_truth, labels)), strict=True):
            part_loss, part_likelihood = part(f, p, y, with_trace, weight, whole)
            loss, likelihood = loss + part_loss, likelihood + part_likelihood
        return loss, likelihood

    def _entries_per_pixel(self) -> int:
        """Numbers that the matrices of all annotators take at one pixel of one image."""
        design = self.network.architecture
        if design.confusion == "pixel" or self._settings.hinge:
            return design.annotators * design.classes**2
        return design.annotators * design.classes * (2 * design.rank if design.confusion == "low-rank" else 1)

    def _part(
        self,
        features: Tensor,
        log_truth: Tensor,
        labels: Tensor,
        with_trace: Tensor,
        weight: float,
        whole: Counts,
    ) -> tuple[Tensor, Tensor]:
        """What some pixels add to the loss and the likelihood; the trace counts for images `with_trace` (B,) alone.

        A negative weight is the paper's warm-up, which maximizes the trace and does nothing else.
        """
        settings = self._settings
        confusion = self.network.confusion(features)
        known = labels >= 0
        share = known.sum() / whole.labels
        likelihood_of = joint_likelihood if settings.likelihood == "joint" else annotator_likelihood
        likelihood = share * likelihood_of(confusion.rows(labels.clamp(min=0)), log_truth, known)
        if weight < 0:
            return share * weight * trace(confusion.diagonal(), known), likelihood
        loss = likelihood
        if weight:
            masked = known & with_trace[:, None, None]
            loss = loss + weight * masked.sum() / whole.labels * trace(confusion.diagonal(), masked)
        if settings.hinge:
            labeled = known.any(dim=1)
            hinge = dominance_hinge(confusion.matrices(), settings.margin, labeled)
            loss = loss + settings.hinge * labeled.sum() / whole.pixels * hinge
        return loss, likelihood


def _surely_none(mask: Tensor) -> bool:
    """Whether the mask is empty, where that is cheap to know: on a GPU it would wait for the device."""
    return mask.is_cpu and not bool(mask.any())


def trace_weight(settings: Settings, done: float) -> float:
    """Lambda: the trace is maximized during the paper's warm-up and minimized afterwards."""
    return -1.0 if done < settings.identity_warm_up else settings.trace
