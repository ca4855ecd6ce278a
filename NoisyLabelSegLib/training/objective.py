"""One step's loss from a batch: what is asked of the network, term by term."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from NoisyLabelSegLib.networks import CoupledNetwork
from NoisyLabelSegLib.networks.confusion import known_rows
from NoisyLabelSegLib.networks.losses import (
    annotator_likelihood,
    dominance_hinge,
    joint_likelihood,
    label_cross_entropy,
    missed_overlap,
    missed_shares,
    several_labels,
    soft_cross_entropy,
    trace,
    trusted_vote,
)
from NoisyLabelSegLib.training.guesses import LabelGuesses
from NoisyLabelSegLib.training.samples import Batch
from NoisyLabelSegLib.training.schedule import trace_weight
from NoisyLabelSegLib.training.settings import Settings

ENTRIES_AT_ONCE = 2**20
"""Matrix entries (B R L L P) handled at once on a CPU, so that they stay in its cache; elsewhere 16 times as many."""
ENTRIES_KEPT = 2**22
"""Above this they are computed again for gradients: the annotators add little to the memory of a step."""


class Terms(NamedTuple):
    """The loss to descend, its likelihood part, and how labels met estimated classes: see `_meetings`."""

    loss: Tensor
    likelihood: Tensor
    meetings: Tensor


class Counts(NamedTuple):
    """What the means of a step run over: all labels, and the pixels that p is taught at."""

    labels: Tensor
    pixels: Tensor

    @classmethod
    def of(cls, batch: Batch) -> Counts:
        known = batch.labels >= 0
        taught = known.any(dim=1) if batch.target is None else batch.target.sum(dim=1) > 0
        return cls(known.sum().clamp(min=1), taught.sum().clamp(min=1))


class Objective(nn.Module):
    """The network together with what it is taught, so that one forward call is one step on any number of devices."""

    trust: Tensor

    def __init__(
        self,
        network: CoupledNetwork,
        settings: Settings,
        trust: Tensor | None = None,
        guesses: LabelGuesses | None = None,
    ) -> None:
        """trust: how much each annotator's word weighs where they disagree, (R,); None: all the same.

        guesses: fills in what was not labelled where an image has a single label; None: the trace alone must do there.
        """
        super().__init__()
        self.network, self.guesses = network, guesses
        self._settings = settings
        equal = torch.ones(network.architecture.annotators)
        self.register_buffer("trust", equal if trust is None else trust, persistent=False)

    def forward(self, batch: Batch, done: float, whole: Counts | None = None) -> Terms:
        """done: the share of all steps that lies behind; whole: of the step's batch, where this is a part of it.

        The terms of parts add up to those of the whole, but for the overlap, which is that of each part.
        """
        whole = whole or Counts.of(batch)
        prediction = self.network(batch.images)
        log_truth, labels = prediction.log_truth, batch.labels.flatten(2)
        if batch.target is not None:
            target = batch.target.flatten(2)
            known = target.sum(dim=1) > 0
            share = known.sum() / whole.pixels
            near = share * soft_cross_entropy(log_truth, target, known)
            loss = near + share * self._overlap(log_truth, target, known)
            return Terms(loss, near.detach(), _meetings(labels, log_truth))
        if self._settings.confusion == "oracle-cm":
            rows, known = known_rows(labels, batch.truth.flatten(1), log_truth.shape[1]), labels >= 0
            loss = known.sum() / whole.labels * annotator_likelihood(rows, log_truth, known)
            return Terms(loss, loss.detach(), _meetings(labels, log_truth))
        weight, several = trace_weight(self._settings, done), several_labels(labels)
        loss, likelihood = self._coupled(prediction.features, log_truth, labels, several, weight, whole)
        if self.training and weight >= 0:
            loss = loss + self._votes(prediction.features, log_truth, labels, several, done, whole)
        return Terms(loss, likelihood.detach(), _meetings(labels, log_truth))

    def _votes(
        self, features: Tensor, log_truth: Tensor, labels: Tensor, several: Tensor, done: float, whole: Counts
    ) -> Tensor:
        """How far p is from the vote of the trusted: as given where several labelled an image, else partly guessed."""
        settings, guesses = self._settings, self.guesses
        several, known = several[:, None], labels >= 0
        seen = known.any(dim=1)
        loss = torch.zeros((), device=labels.device)
        if settings.reliability and not _surely_none(several):
            vote = trusted_vote(labels, self.trust, log_truth.shape[1])
            loss = loss + settings.reliability * self._distance(log_truth, vote, several & seen, whole)
        if guesses is not None:
            guessed = guesses(features)
            loss = loss + known.sum() / whole.labels * self._guessing(guessed, labels)
            as_given = done < settings.as_given
            vote, there = guesses.given(labels) if as_given else (guesses.vote(guessed, labels), seen)
            loss = loss + settings.completion * self._distance(log_truth, vote, ~several & there, whole)
        return loss

    def _guessing(self, guessed: Tensor, labels: Tensor) -> Tensor:
        """How far the guesses are from the labels that were given; every annotator counts as an image of their own."""
        guessed, labels = guessed.flatten(0, 1), labels.flatten(0, 1)
        return label_cross_entropy(guessed, labels) + self._settings.overlap * missed_overlap(guessed, labels)

    def _distance(self, log_truth: Tensor, target: Tensor, known: Tensor, whole: Counts) -> Tensor:
        """From p to the target over known pixels (B, P), weighted by their share of those that anybody labelled."""
        share = known.sum() / whole.pixels
        near = soft_cross_entropy(log_truth, target, known)
        return share * (near + self._overlap(log_truth, target, known))

    def _overlap(self, log_truth: Tensor, target: Tensor, known: Tensor) -> Tensor:
        """What p misses of what the target (B, L, P) says most, or of its shares where they are to be learned."""
        if not self._settings.overlap:
            return torch.zeros((), device=log_truth.device)
        if self._settings.target == "mean":
            return self._settings.overlap * missed_shares(log_truth, target, known)
        return self._settings.overlap * missed_overlap(log_truth, target.argmax(dim=1).where(known, -1))

    def _coupled(
        self, features: Tensor, log_truth: Tensor, labels: Tensor, several: Tensor, weight: float, whole: Counts
    ) -> tuple[Tensor, Tensor]:
        # Where several labels can be held against each other the vote of the trusted decides, and the trace, which
        # rewards any explanation by errors, would only disturb it.
        pressed = ~several if self._settings.reliability else torch.ones_like(several)
        weight = 0.0 if weight > 0 and _surely_none(pressed) else weight
        entries = len(labels) * labels.shape[2] * self._entries_per_pixel()
        at_once = ENTRIES_AT_ONCE if labels.is_cpu else 16 * ENTRIES_AT_ONCE
        length = max(at_once * labels.shape[2] // entries, 1)
        part = partial(checkpoint, self._part, use_reentrant=False) if entries > ENTRIES_KEPT else self._part
        loss = likelihood = torch.zeros((), device=labels.device)
        for f, p, y in zip(*(torch.split(x, length, dim=2) for x in (features, log_truth, labels)), strict=True):
            part_loss, part_likelihood = part(f, p, y, pressed, weight, whole)
            loss, likelihood = loss + part_loss, likelihood + part_likelihood
        return loss, likelihood

    def _entries_per_pixel(self) -> int:
        """Numbers that the matrices of all annotators are made of at one pixel of one image."""
        made = self.network.architecture
        if made.confusion == "pixel" or self._settings.hinge:
            return made.annotators * made.classes**2
        return made.annotators * made.classes * (2 * made.rank if made.confusion == "low-rank" else 1)

    def _part(
        self,
        features: Tensor,
        log_truth: Tensor,
        labels: Tensor,
        pressed_images: Tensor,
        weight: float,
        whole: Counts,
    ) -> tuple[Tensor, Tensor]:
        """What some pixels add to the loss and the likelihood; the trace presses on `pressed_images` (B,) alone.

        A negative weight is the paper's warm-up, which maximises the trace and does nothing else.
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
            pressed = known & pressed_images[:, None, None]
            loss = loss + weight * pressed.sum() / whole.labels * trace(confusion.diagonal(), pressed)
        if settings.hinge:
            seen = known.any(dim=1)
            hinge = dominance_hinge(confusion.matrices(), settings.margin, seen)
            loss = loss + settings.hinge * seen.sum() / whole.pixels * hinge
        return loss, likelihood


def _surely_none(mask: Tensor) -> bool:
    """Whether the mask is empty, where it costs nothing to ask: a GPU would have to be waited for."""
    return mask.is_cpu and not bool(mask.any())


@torch.no_grad()
def _meetings(labels: Tensor, log_truth: Tensor) -> Tensor:
    """Sums over labels of p_j where the label is i, and last of where p_j is above a half: (L + 1, L).

    Enough to see classes swapped or lost.
    """
    likely, classes = log_truth.exp(), log_truth.shape[1]
    rows = [(labels == said).sum(dim=1, keepdim=True) * likely for said in range(classes)]
    sure = (labels >= 0).sum(dim=1, keepdim=True) * (likely > 0.5)
    return torch.stack([row.sum(dim=(0, 2)) for row in (*rows, sure)])
