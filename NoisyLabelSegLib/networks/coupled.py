"""The coupled networks: one trunk, a head for the truth, and one head for the matrices of all annotators."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from NoisyLabelSegLib.cases.architecture import Architecture
from NoisyLabelSegLib.networks.confusion import Confusion, GlobalConfusion, LowRankConfusion, PixelConfusion
from NoisyLabelSegLib.networks.registry import Probabilities, SegmentationNetwork
from NoisyLabelSegLib.networks.trunks import features_of, make_trunk

MATRIX_ENTRIES_AT_ONCE = 2**24
"""Matrix entries (B R L L P) that `predict` computes at once, 64 MB a copy."""


@dataclass(frozen=True)
class Prediction:
    """Features (B, W, P) and log p (B, L, P) of a batch, spatial axes flattened."""

    features: Tensor
    log_truth: Tensor


class CoupledNetwork(SegmentationNetwork):
    """p(x) and A(x); p alone does not evaluate the annotators' head. With confusion "none" there is p only.

    >>> prediction = network(images)                          # (B, C, *S) float32
    >>> confusion = network.confusion(prediction.features)    # only where annotators are asked for
    """

    def __init__(self, architecture: Architecture) -> None:
        super().__init__(architecture)
        width = architecture.widths[0]
        self.trunk = make_trunk(architecture)
        self.truth_head = nn.Conv1d(width, architecture.classes, 1)
        self.annotator_head: nn.Conv1d | _GlobalLogits | None = _annotator_head(architecture)

    @torch.no_grad()
    def start_unused_classes(self, unused: Tensor) -> None:
        """Starts annotators who never use a class as ones who call it background; unused: (R, L) bool.

        From the usual start p would lose the class on their images before A learned that they never use it.
        """
        head, classes = self.annotator_head, self.architecture.classes
        if head is None:
            return
        start = head.logits if isinstance(head, _GlobalLogits) else head.bias
        assert start is not None
        for annotator, true in unused.nonzero().tolist():
            if self.architecture.confusion == "low-rank":
                profiles, weights = start.view(-1, 2, classes, self.architecture.rank)[annotator]
                profiles[0], weights[true] = 4.0, 4.0  # draws nearly always, and background
            else:
                matrix = start.view(-1, classes, classes)[annotator]
                matrix[:, true] = matrix[:, 0]

    @property
    def predicts_annotators(self) -> bool:
        return self.annotator_head is not None

    def annotator_parameters(self) -> list[nn.Parameter]:
        return [] if self.annotator_head is None else list(self.annotator_head.parameters())

    def predict(self, images: Tensor, *, annotators: bool = False) -> Probabilities:
        prediction: Prediction = self(images)
        truth = _unflattened(prediction.log_truth.exp(), images)
        return Probabilities(truth, _unflattened(self._matrices(prediction.features), images) if annotators else None)

    def forward(self, images: Tensor) -> Prediction:
        features = features_of(self.trunk, images, self.architecture).flatten(2)
        return Prediction(features, self.truth_head(features).float().log_softmax(dim=1))

    def confusion(self, features: Tensor) -> Confusion:
        """The matrices of all annotators at the pixels of features (B, W, P)."""
        kind = self.architecture.confusion
        head = self.annotator_head
        if isinstance(head, _GlobalLogits):
            return GlobalConfusion(head.logits, features.shape[0], features.shape[2])
        if head is None:
            raise ValueError("this network has no annotators' head")
        annotators, classes = self.architecture.annotators, self.architecture.classes
        numbers = head(features)
        if kind == "pixel":
            return PixelConfusion(numbers.unflatten(1, (annotators, classes, classes)))
        profiles, weights = numbers.unflatten(1, (annotators, 2, classes, self.architecture.rank)).unbind(2)
        return LowRankConfusion(profiles, weights)

    def _matrices(self, features: Tensor) -> Tensor:
        """A (B, R, L, L, P), computed in parts so that only the result is large."""
        entries = len(features) * self.architecture.annotators * self.architecture.classes**2
        length = max(1, MATRIX_ENTRIES_AT_ONCE // entries)
        parts = [self.confusion(part).matrices().exp() for part in torch.split(features, length, dim=2)]
        return parts[0] if len(parts) == 1 else torch.cat(parts, dim=-1)


def _unflattened(flat: Tensor, images: Tensor) -> Tensor:
    """(..., P) as (..., *S), the spatial axes of images (B, C, *S)."""
    return flat.reshape(*flat.shape[:-1], *images.shape[2:])


class _GlobalLogits(nn.Module):
    """One table per annotator, (R, L, L), that does not look at the image."""

    def __init__(self, start: Tensor) -> None:
        super().__init__()
        self.logits = nn.Parameter(start.clone())


def _annotator_head(architecture: Architecture) -> nn.Conv1d | _GlobalLogits | None:
    """A head whose weights are zero and whose bias is near the identity, the same at every pixel."""
    if architecture.confusion == "none":
        return None
    start = _start(architecture)
    if architecture.confusion == "global":
        return _GlobalLogits(start)
    head = nn.Conv1d(architecture.widths[0], start.numel(), 1)
    with torch.no_grad():
        head.weight.zero_()
        assert head.bias is not None
        head.bias.copy_(start.flatten())
    return head


def _start(architecture: Architecture) -> Tensor:
    """Logits for which every a_jj is `start_diagonal`: (R, L, L), or (R, 2, L, l) for low rank."""
    annotators, classes, rank = architecture.annotators, architecture.classes, architecture.rank
    diagonal = architecture.start_diagonal
    if architecture.confusion != "low-rank":
        logit = math.log(diagonal / (1 - diagonal) * (classes - 1))
        return (torch.eye(classes) * logit).expand(annotators, -1, -1)
    # A draw from a flat profile hits the true class too, so the share w_j0 that keeps the truth is a little smaller.
    keep = max(diagonal - (1 - diagonal) / (classes - 1), 0.01)
    start = torch.zeros(annotators, 2, classes, rank)
    start[:, 1] = math.log((1 - keep) / keep / rank)
    # Equal profiles would stay equal for ever: tilt each towards another class.
    for k in range(rank):
        start[:, 0, k % classes, k] = 1.0 if rank > 1 else 0.0
    return start
