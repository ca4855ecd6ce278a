"""How far estimated confusion matrices are from the annotators' real errors: three errors, named, never mixed up.

The real matrix of an annotator at a voxel is only known in the column of the true class, where it is the one-hot of the
annotator's label; the other columns are 1/L by convention.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.metrics.counts import chunks, joint_counts


@dataclass(frozen=True)
class ConfusionErrors:
    """Sums of squared differences and how many entries they are over; `+` pools annotators and cases."""

    squares: float = 0.0
    entries: int = 0
    column_squares: float = 0.0
    column_entries: int = 0
    image_squares: float = 0.0
    image_entries: int = 0

    @property
    def cm_rmse(self) -> float:
        """Over voxels, annotators and all L x L entries, the estimate in canonical form; NaN without any voxel."""
        return _root_mean(self.squares, self.entries)

    @property
    def cm_rmse_column(self) -> float:
        """Over voxels, annotators and the L entries of the true class's column."""
        return _root_mean(self.column_squares, self.column_entries)

    @property
    def cm_rmse_image(self) -> float:
        """Over images, annotators and entries: the probability-weighted mean matrix against the image's real table."""
        return _root_mean(self.image_squares, self.image_entries)

    def __add__(self, other: ConfusionErrors) -> ConfusionErrors:
        return ConfusionErrors(
            self.squares + other.squares,
            self.entries + other.entries,
            self.column_squares + other.column_squares,
            self.column_entries + other.column_entries,
            self.image_squares + other.image_squares,
            self.image_entries + other.image_entries,
        )


def confusion_errors(
    confusion: Sequence[NDArray[Any]] | NDArray[Any],
    probabilities: NDArray[Any],
    truth: NDArray[Any],
    labels: Sequence[NDArray[Any] | None] | NDArray[Any],
) -> ConfusionErrors:
    """The errors of one case, pooled over the annotators who labelled it (labels that are None are left out).

    `confusion`: R matrices, each (L, L) for the whole image or a field (L, L, *shape), entry i, j = p(i said | j true);
    `probabilities`: the estimated truth, (L, *shape), or labels (*shape), which count as certain;
    `truth` (*shape) integers; `labels` R arrays (*shape).
    """
    errors = ConfusionErrors()
    for matrix, drawn in zip(confusion, labels, strict=True):
        if drawn is not None:
            errors += _annotator_errors(np.asarray(matrix), np.asarray(probabilities), np.asarray(truth), drawn)
    return errors


def _annotator_errors(
    confusion: NDArray[Any], probabilities: NDArray[Any], truth: NDArray[Any], labels: NDArray[Any]
) -> ConfusionErrors:
    classes = len(confusion)
    certain = probabilities.shape == truth.shape
    field = confusion.reshape(classes, classes, -1)
    flat_p = probabilities.reshape(-1) if certain else probabilities.reshape(classes, -1)
    flat_truth, flat_labels = truth.reshape(-1), labels.reshape(-1)
    squares = column_squares = 0.0
    said, weight = np.zeros((classes, classes)), np.zeros(classes)
    for part in chunks(truth.size):
        t, y = flat_truth[part], flat_labels[part]
        p = _one_hot(flat_p[part], classes) if certain else flat_p[:, part]
        a = field[:, :, part] if field.shape[2] > 1 else field
        voxels = np.arange(t.size)
        excess = p * (a - np.float32(1 / classes))  # the canonical form p_j a_ij + (1 - p_j) / L, less 1 / L
        weight += p.sum(axis=1, dtype=np.float64)
        said += excess.sum(axis=2, dtype=np.float64)
        excess[:, t, voxels] += np.float32(1 / classes)
        excess[y, t, voxels] -= 1
        squares += _sum_of_squares(excess)
        column = a[:, t, voxels] if a.shape[2] > 1 else a[:, t, 0]
        column[y, voxels] -= 1
        column_squares += _sum_of_squares(column)
    image_squares, image_entries = _image_squares(said + weight / classes, weight, joint_counts(labels, truth, classes))
    return ConfusionErrors(
        squares, truth.size * classes**2, column_squares, truth.size * classes, image_squares, image_entries
    )


def _image_squares(
    said: NDArray[np.float64], weight: NDArray[np.float64], counts: NDArray[np.int64]
) -> tuple[float, int]:
    """Only columns of classes that occur in the truth count; an estimate that never expects such a class says 1/L."""
    classes = len(said)
    estimate = np.where(weight > 0, said / np.where(weight > 0, weight, 1), 1 / classes)
    totals = counts.sum(axis=0)
    known = totals > 0
    difference = (estimate - counts / np.maximum(totals, 1))[:, known]
    return float((difference**2).sum()), difference.size


def _one_hot(labels: NDArray[Any], classes: int) -> NDArray[np.float32]:
    return np.asarray(labels == np.arange(classes)[:, None], dtype=np.float32)


def _sum_of_squares(scratch: NDArray[Any]) -> float:
    """Squares in place; numpy's pairwise sum keeps float32 accurate where a dot product would not."""
    return float(np.square(scratch, out=scratch).sum())


def _root_mean(squares: float, entries: int) -> float:
    return math.sqrt(squares / entries) if entries else math.nan
