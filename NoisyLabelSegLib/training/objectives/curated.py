"""What a curated truth changes in the coupled objective: p is trained on it, and matrices are learned given it."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from NoisyLabelSegLib.networks.losses import dice_loss, label_cross_entropy
from NoisyLabelSegLib.training.objectives.base import Counts

LEFT = 1e-4
"""The probability left to all other classes where the truth is known, so that logarithms stay finite."""


def with_curated(log_truth: Tensor, truth: Tensor) -> Tensor:
    """log p (B, L, P) with the curated truth (B, P), negative where unknown, in its place where there is one.

    The labels of these pixels then say nothing about p and everything about their annotators: what the truth is, is no
    longer an explanation for a label that differs from it.
    """
    classes = log_truth.shape[1]
    others = torch.full_like(log_truth, math.log(LEFT / (classes - 1)))
    certain = others.scatter(1, truth.clamp(min=0)[:, None], math.log(1 - LEFT))
    return torch.where((truth >= 0)[:, None], certain, log_truth)


def curated_loss(log_truth: Tensor, truth: Tensor, overlap: float, whole: Counts) -> Tensor:
    """Cross-entropy, and `overlap` times a Dice loss, of log p (B, L, P) to the curated truth (B, P), by its share."""
    share = (truth >= 0).sum() / whole.pixels
    return share * (label_cross_entropy(log_truth, truth) + overlap * dice_loss(log_truth, truth))
