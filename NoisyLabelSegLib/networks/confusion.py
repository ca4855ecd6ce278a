"""The algebra of confusion matrices, in log space and for all annotators at once.

A matrix has entries a_ij = p(annotator says i | truth is j); its columns sum to one. Shapes: B images, R annotators,
L classes, P pixels (the spatial axes flattened). However the matrices are stored, the losses ask only three things:
the rows of the labels that were given, the diagonals, and, where nothing less will do, the whole matrices.
"""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor


class Confusion(Protocol):
    """Log confusion matrices of B images; every answer is float32."""

    def rows(self, labels: Tensor) -> Tensor:
        """log a_yj, (B, R, L, P) over the true class j, for labels y (B, R, P) int64 in 0..L-1."""

    def diagonal(self) -> Tensor:
        """log a_jj, (B, R, L, P)."""

    def matrices(self) -> Tensor:
        """log a_ij, (B, R, L, L, P)."""


class PixelConfusion:
    """A matrix of its own at every pixel: a softmax over the rows i of each column j."""

    def __init__(self, logits: Tensor) -> None:
        """logits: (B, R, L, L, P), any float type."""
        self._logits = logits.float()
        self._column_totals = torch.logsumexp(self._logits, dim=2)

    def rows(self, labels: Tensor) -> Tensor:
        classes = self._logits.shape[3]
        index = labels[:, :, None, None].expand(-1, -1, 1, classes, -1)
        return self._logits.gather(2, index).squeeze(2) - self._column_totals

    def diagonal(self) -> Tensor:
        return torch.diagonal(self._logits, dim1=2, dim2=3).movedim(-1, 2) - self._column_totals

    def matrices(self) -> Tensor:
        return self._logits - self._column_totals[:, :, None]


class LowRankConfusion:
    """Rank l at every pixel, linear in the number of classes: 2 L l numbers instead of L^2.

    The columns of d I + B1 B2^T, normalized, are a mixture: for the true class j the annotator keeps the truth with
    weight w_j0, or draws from one of l profiles c_k with weight w_jk. Scaling d is the same as scaling B2, so d = 1.
    """

    def __init__(self, profiles: Tensor, weights: Tensor) -> None:
        """profiles: (B, R, L, l, P) logits of c_ik over i; weights: the same shape, logits of w_jk where w_j0 has 0."""
        self._profiles = profiles.float().log_softmax(dim=2)
        weights = weights.float()
        keep = torch.zeros_like(weights[:, :, :, :1])
        shares = torch.cat([keep, weights], dim=3).log_softmax(dim=3)
        self._keep, self._draw = shares[:, :, :, 0], shares[:, :, :, 1:]

    def rows(self, labels: Tensor) -> Tensor:
        classes, rank = self._profiles.shape[2:4]
        index = labels[:, :, None, None].expand(-1, -1, 1, rank, -1)
        drawn = torch.logsumexp(self._draw + self._profiles.gather(2, index), dim=3)
        is_truth = labels[:, :, None] == torch.arange(classes, device=labels.device)[:, None]
        return torch.where(is_truth, torch.logaddexp(drawn, self._keep), drawn)

    def diagonal(self) -> Tensor:
        return torch.logaddexp(torch.logsumexp(self._draw + self._profiles, dim=3), self._keep)

    def matrices(self) -> Tensor:
        said, true = self._profiles[:, :, :, None], self._draw[:, :, None]
        drawn = said[..., 0, :] + true[..., 0, :]
        for k in range(1, said.shape[4]):
            drawn = torch.logaddexp(drawn, said[..., k, :] + true[..., k, :])
        off_diagonal = ~torch.eye(drawn.shape[2], dtype=torch.bool, device=drawn.device)[:, :, None]
        return torch.where(off_diagonal, drawn, torch.logaddexp(drawn, self._keep[:, :, None]))


class GlobalConfusion:
    """One matrix per annotator for all images and pixels."""

    def __init__(self, logits: Tensor, images: int, pixels: int) -> None:
        """logits: (R, L, L)."""
        self._table = logits.float().log_softmax(dim=1)
        self._images, self._pixels = images, pixels

    def rows(self, labels: Tensor) -> Tensor:
        annotators = torch.arange(len(self._table), device=labels.device)[:, None]
        return self._table[annotators, labels].movedim(-1, 2)

    def diagonal(self) -> Tensor:
        diagonal = torch.diagonal(self._table, dim1=1, dim2=2)
        return diagonal[None, :, :, None].expand(self._images, -1, -1, self._pixels)

    def matrices(self) -> Tensor:
        return self._table[None, ..., None].expand(self._images, -1, -1, -1, self._pixels)


COUNTED_AT_LEAST = 1e-3
"""Added to every count, so that a class that is absent has a column of 1/L and no entry is 0."""


def counted_rows(labels: Tensor, truth: Tensor, classes: int) -> Tensor:
    """Rows of the real matrices of each image where the truth is known: log a_yj, (B, R, L, P), over the true class j.

    labels: (B, R, P), truth: (B, P), both negative where unknown. Each annotator has one matrix an image, the table of
    how often class i was drawn where class j is true. (A matrix of its own for every pixel would be the truth itself.)
    """
    numbers = torch.arange(classes, device=labels.device)[:, None]
    said, true = (labels[:, :, None] == numbers).float(), (truth[:, None] == numbers).float()
    table = torch.einsum("brip,bjp->brij", said, true) + COUNTED_AT_LEAST
    log_table = (table / table.sum(dim=2, keepdim=True)).log()
    index = labels.clamp(min=0)[:, :, :, None].expand(-1, -1, -1, classes)
    return log_table.gather(2, index).movedim(2, 3)
