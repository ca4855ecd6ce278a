"""What the coupled networks are taught: likelihoods of noisy labels, the trace, the hinge on the panel.

Labels are (B, R, P) integers; a negative one means that this annotator did not label this pixel. Every loss is a mean
over labelled pixels, or a ratio of sums over them, so it does not depend on the number of annotators, images or pixels.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


def annotator_likelihood(rows: Tensor, log_truth: Tensor, known: Tensor) -> Tensor:
    """Minus the mean log (A p)_y over labelled pixels: every annotator is explained alone.

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
    """The mean trace of the matrices of those who labelled; log_diagonal: (B, R, L, P)."""
    return _mean_where(log_diagonal.exp().sum(dim=2), known)


def dominance_hinge(log_matrices: Tensor, margin: float, known: Tensor) -> Tensor:
    """How far the panel's mean matrix is from a_ii >= a_ij + margin, mean over labelled pixels.

    log_matrices: (B, R, L, L, P); known: (B, P) bool.

    Only the mean over annotators is held to it: a single annotator may be as bad as may be.
    """
    panel = log_matrices.exp().mean(dim=1)
    diagonal = torch.diagonal(panel, dim1=1, dim2=2).movedim(-1, 1)
    gap = torch.relu(panel + margin - diagonal[:, :, None])
    classes = panel.shape[1]
    others = ~torch.eye(classes, dtype=torch.bool, device=gap.device)[:, :, None]
    return _mean_where(torch.where(others, gap, 0.0).sum(dim=(1, 2)), known) / classes


def trusted_vote(labels: Tensor, trust: Tensor, classes: int) -> Tensor:
    """The share of the trust (R,) that says each class, (B, L, P); labels (B, R, P), negative where unknown."""
    said = [((labels == number) * trust[:, None]).sum(dim=1) for number in range(classes)]
    votes = torch.stack(said, dim=1)
    return votes / votes.sum(dim=1, keepdim=True).clamp(min=1e-6)


def several_labels(labels: Tensor) -> Tensor:
    """Which images more than one annotator labelled, (B,) bool, for labels (B, R, P)."""
    return (labels >= 0).any(dim=2).sum(dim=1) > 1


def soft_cross_entropy(log_truth: Tensor, target: Tensor, known: Tensor) -> Tensor:
    """Minus the mean of sum_j t_j log p_j over pixels with a target; target: (B, L, P), known: (B, P) bool."""
    return -_mean_where((target * log_truth).sum(dim=1), known)


def label_cross_entropy(log_probabilities: Tensor, labels: Tensor) -> Tensor:
    """Minus the mean log probability of the labels; log_probabilities: (B, L, P); labels: (B, P), negative unknown."""
    said = log_probabilities.gather(1, labels.clamp(min=0)[:, None]).squeeze(1)
    return -_mean_where(said, labels >= 0)


def missed_overlap(log_probabilities: Tensor, labels: Tensor) -> Tensor:
    """1 - Dice with the labels, mean over the classes but background; the whole batch counts as one image.

    Cross-entropy alone hardly moves for a class of a few pixels, this does. log_probabilities: (B, L, P);
    labels: (B, P), negative where unknown.
    """
    return _missed(
        log_probabilities, labels >= 0, [labels == number for number in range(1, log_probabilities.shape[1])]
    )


def missed_shares(log_probabilities: Tensor, target: Tensor, known: Tensor) -> Tensor:
    """The same with shares (B, L, P), which are 0 where not known (B, P): 0 where the probabilities are they.

    Where shares differ on what looks alike it leans to more: little with several labels an image, more with one.
    """
    return _missed(log_probabilities, known, target.unbind(dim=1)[1:])


def _missed(log_probabilities: Tensor, known: Tensor, classes: Sequence[Tensor]) -> Tensor:
    """Squares below the line: 1 - 2pt / (p^2 + t^2) is 0 where p is t, be t a label or a share."""
    missed = []
    for number, there in enumerate(classes, start=1):
        share = torch.where(known, log_probabilities[:, number].exp(), 0.0)
        both, all_of_it = (share * there).sum(), (share * share).sum() + (there * there).sum()
        missed.append(1 - (2 * both + 1) / (all_of_it + 1))
    return torch.stack(missed).mean()


def _mean_where(values: Tensor, known: Tensor) -> Tensor:
    return torch.where(known, values, 0.0).sum() / known.sum().clamp(min=1)
