"""One segmentation network for every annotator, without anything in common; the truth is their mean."""

from __future__ import annotations

import dataclasses

import torch
from torch import Tensor, nn

from NoisyLabelSegLib.cases.architecture import Architecture
from NoisyLabelSegLib.networks.coupled import CoupledNetwork
from NoisyLabelSegLib.networks.registry import Probabilities, SegmentationNetwork


class SeparateNetworks(SegmentationNetwork):
    """R networks that each predict the labels of one annotator.

    As matrices, all columns are the annotator's probabilities: what is said does not depend on the true class.
    """

    def __init__(self, architecture: Architecture) -> None:
        super().__init__(architecture)
        each = dataclasses.replace(architecture, confusion="none", network=Architecture.network)
        self.each = nn.ModuleList(CoupledNetwork(each) for _ in range(architecture.annotators))

    @property
    def predicts_annotators(self) -> bool:
        return True

    def said(self, annotator: int, images: Tensor) -> Tensor:
        """Log probabilities (B, L, P) of this annotator's labels of images (B, C, *S)."""
        return self.each[annotator](images).log_truth  # type: ignore[no-any-return]

    def predict(self, images: Tensor, *, annotators: bool = False) -> Probabilities:
        each = torch.stack([self.said(place, images).exp() for place in range(len(self.each))], dim=1)
        each = each.reshape(*each.shape[:3], *images.shape[2:])
        columns = each[:, :, :, None].repeat(1, 1, 1, each.shape[2], *[1] * (images.ndim - 2)) if annotators else None
        return Probabilities(each.mean(dim=1), columns)
