"""The losses of the networks: likelihoods of noisy labels, trace, hinge, cross-entropy and Dice losses.

Labels are (B, R, P) integers; a negative one means that this annotator did not label this pixel. Every loss is a mean
over labeled pixels, or a ratio of sums over them, so it does not depend on the number of annotators, images or pixels.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


def annotator_likelihood(rows: Tensor, log_truth: Tensor, known: Tensor) -> Tensor:
    """Minus the mean log (A p)_y over labeled pixels: every annotator on their own.

    rows: log a_yj (B, R, L, P); log_truth: log p_j (B, L, P); known: (B, R, P) bool.
    """
    log_said = torch.logsumexp(rows + log_truth[:, None], dim=2)
    return -_mean_where(log_said, known)


def joint_likelihood(rows: Tensor, log_truth: Tensor, known: Tensor) -> Tensor:
    """Minus the log probability of all labels of a pixel together, per label.

    The annotators share the true class: logsumexp over j of log p_j + sum over r of log a^(r)_{y_r j}.
    """
    evidence = torch.where(known[:, :, None], rows, 0.0).sum(dim=1)
    log_said = torch.logsumexp(log_truth + evidence, dim=1)
    return -log_said.sum() / known.sum().clamp(min=1)


def trace(log_diagonal: Tensor, known: Tensor) -> Tensor:
    """The mean trace of the matrices of those who labeled; log_diagonal: (B, R, L, P)."""
    return _mean_where(log_diagonal.exp().sum(dim=2), known)


def dominance_hinge(log_matrices: Tensor, margin: float, known: Tensor) -> Tensor:
    """How far the annotators' mean matrix is from a_ii >= a_ij + margin, mean over labeled pixels.

    log_matrices: (B, R, L, L, P); known: (B, P) bool.

    Only the mean over annotators is constrained: a single annotator may err without limit.
    """
    panel = log_matrices.exp().mean(dim=1)
    diagonal = torch.diagonal(panel, dim1=1, dim2=2).movedim(-1, 1)
    gap = torch.relu(panel + margin - diagonal[:, :, None])
    classes = panel.shape[1]
    others = ~torch.eye(classes, dtype=torch.bool, device=gap.device)[:, :, None]
    return _mean_where(torch.where(others, gap, 0.0).sum(dim=(1, 2)), known) / classes


def reliability_weighted_vote(labels: Tensor, weights: Tensor, classes: int) -> Tensor:
    """The share of the weights (R,) that each class has, (B, L, P); labels (B, R, P), negative where unknown."""
    votes = torch.stack([((labels == number) * weights[:, None]).sum(dim=1) for number in range(classes)], dim=1)
    return votes / votes.sum(dim=1, keepdim=True).clamp(min=1e-6)


def sharpened(vote: Tensor, power: float) -> Tensor:
    """Shares (B, L, P) to this power, summing to one again where they did: clear majorities become clearer."""
    raised = vote**power
    return raised / raised.sum(dim=1, keepdim=True).clamp(min=1e-6)


def several_labels(labels: Tensor) -> Tensor:
    """Which images more than one annotator labeled, (B,) bool, for labels (B, R, P)."""
    return (labels >= 0).any(dim=2).sum(dim=1) > 1


def soft_cross_entropy(log_truth: Tensor, target: Tensor, known: Tensor) -> Tensor:
    """Minus the mean of sum_j t_j log p_j over pixels with a target; target: (B, L, P), known: (B, P) bool."""
    return -_mean_where((target * log_truth).sum(dim=1), known)


def label_cross_entropy(log_probabilities: Tensor, labels: Tensor) -> Tensor:
    """Minus the mean log probability of the labels; log_probabilities: (B, L, P); labels: (B, P), negative unknown."""
    said = log_probabilities.gather(1, labels.clamp(min=0)[:, None]).squeeze(1)
    return -_mean_where(said, labels >= 0)


def dice_loss(log_probabilities: Tensor, labels: Tensor) -> Tensor:
    """1 - Dice with the labels, mean over the classes but background; the whole batch counts as one image.

    Cross-entropy alone hardly changes for a class of a few pixels, this does. log_probabilities: (B, L, P);
    labels: (B, P), negative where unknown.
    """
    masks = [labels == number for number in range(1, log_probabilities.shape[1])]
    return _mean_dice_loss(log_probabilities, labels >= 0, masks)


def target_dice_loss(log_probabilities: Tensor, target: Tensor, known: Tensor) -> Tensor:
    """The Dice loss to the most probable class of the target (B, L, P) where it is known, (B, P) bool."""
    return dice_loss(log_probabilities, target.argmax(dim=1).where(known, -1))


def soft_dice_loss(log_probabilities: Tensor, target: Tensor, known: Tensor) -> Tensor:
    """The same to the target's probabilities (B, L, P), 0 where not known (B, P): 0 where the network's equal them.

    Where targets differ on what looks alike the optimum is above their mean: little with several labels an image,
    more with one.
    """
    return _mean_dice_loss(log_probabilities, known, target.unbind(dim=1)[1:])


def _mean_dice_loss(log_probabilities: Tensor, known: Tensor, targets: Sequence[Tensor]) -> Tensor:
    """Squares in the denominator: 1 - 2pt / (p^2 + t^2) is 0 where p = t, for a mask t as for probabilities."""
    losses = []
    for number, target in enumerate(targets, start=1):
        p = torch.where(known, log_probabilities[:, number].exp(), 0.0)
        intersection, total = (p * target).sum(), (p * p).sum() + (target * target).sum()
        losses.append(1 - (2 * intersection + 1) / (total + 1))
    return torch.stack(losses).mean()


def _mean_where(values: Tensor, known: Tensor) -> Tensor:
    return torch.where(known, values, 0.0).sum() / known.sum().clamp(min=1)
