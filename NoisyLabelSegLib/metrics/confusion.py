"""How far estimated confusion matrices are from the annotators' real errors: three errors, named, never mixed up.

The real matrix of an annotator at a voxel is only known in the column of the true class, where it is the one-hot of the
annotator's label; the other columns are 1/L by convention.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.metrics.overlap import chunks


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
    """The errors of one case, pooled over the annotators who labeled it (labels that are None are left out).

    `confusion`: R matrices, each (L, L) for the whole image or a field (L, L, *shape), entry i, j = p(i said | j true);
    `probabilities`: the estimated truth, (L, *shape), or labels (*shape), which count as certain;
    `truth` (*shape) integers; `labels` R arrays (*shape).
    """
    truth = np.asarray(truth)
    estimate = TruthParts(np.asarray(probabilities), truth.ndim)
    errors = ConfusionErrors()
    for matrix, drawn in zip(confusion, labels, strict=True):
        if drawn is not None:
            matrix = np.asarray(matrix)
            total = ErrorSum(len(matrix))
            for part, block in matrix_blocks(matrix, truth.size):
                total.add(block, estimate.part(part, len(matrix)), truth.reshape(-1)[part], drawn.reshape(-1)[part])
            errors += total.errors()
    return errors


class TruthParts:
    """The estimated truth by parts: probabilities (L, *shape), or labels (*shape) that count as certain."""

    def __init__(self, array: NDArray[Any], dimension: int) -> None:
        self._certain = array.ndim == dimension
        self._flat = array.reshape(-1) if self._certain else array.reshape(len(array), -1)

    def part(self, voxels: slice, classes: int) -> NDArray[Any]:
        """(L, n) probabilities of these voxels."""
        if not self._certain:
            return np.asarray(self._flat[:, voxels])
        return one_hot(self._flat[voxels], classes)


def expected_errors(confusion: NDArray[Any], probabilities: NDArray[Any]) -> NDArray[np.float32]:
    """How likely an annotator adds, misses or mistakes at each voxel: (3, *shape) float32 in this order.

    `confusion` is (L, L, *shape), or (L, L) for the same everywhere, with a_ij = p(says i | truth is j);
    `probabilities` (L, *shape) are those of the truth.
    """
    classes = len(probabilities)
    expected = np.zeros((3, *probabilities.shape[1:]), dtype=np.float32)
    for true in range(classes):
        for said in range(classes):
            kind = _kind(said, true)
            if kind is not None:
                expected[kind] += confusion[said, true] * probabilities[true]
    return expected


def _kind(said: int, true: int) -> int | None:
    """The component that this entry of a confusion matrix adds to, or None where it is no error."""
    if said == true:
        return None
    if true == 0:
        return 0
    return 1 if said == 0 else 2


def one_hot(labels: NDArray[Any], classes: int) -> NDArray[np.float32]:
    """(L, n) float32 of labels (n,)."""
    numbers = np.arange(classes).astype(np.result_type(labels, np.uint8))  # comparing equal types is fastest
    return np.asarray(labels == numbers[:, None], dtype=np.float32)


def matrix_blocks(matrix: NDArray[Any], voxels: int) -> Iterator[tuple[slice, NDArray[Any]]]:
    """The matrices of each of `chunks(voxels)`: (L, L, n) of a field (L, L, *shape), (L, L, 1) of a single matrix."""
    field = matrix.reshape(*matrix.shape[:2], -1)
    for part in chunks(voxels):
        yield part, field if matrix.ndim == 2 else field[:, :, part]


class ErrorSum:
    """Adds up the errors of one annotator on one case, block by block."""

    def __init__(self, classes: int) -> None:
        self._classes, self._voxels = classes, 0
        self._squares = self._column_squares = 0.0
        self._said, self._weight = np.zeros((classes, classes)), np.zeros(classes)
        self._counts = np.zeros((classes, classes), dtype=np.int64)

    def add(self, a: NDArray[Any], p: NDArray[Any], truth: NDArray[Any], labels: NDArray[Any]) -> None:
        """`a` (L, L, n) or (L, L, 1) estimated matrices, `p` (L, n) estimated truth, `truth` and `labels` (n,)."""
        uniform = np.float32(1 / self._classes)
        true, said = one_hot(truth, self._classes), one_hot(labels, self._classes)
        difference = p * (a - uniform)  # the canonical form p_j a_ij + (1 - p_j) / L, less 1 / L ...
        self._weight += p.sum(axis=1)
        self._said += difference.sum(axis=2)
        difference += true * (uniform - said)[:, None]  # ... less what the real matrix is above 1 / L
        self._squares += _sum_of_squares(difference)
        column = np.multiply(a, true, out=difference).sum(axis=1) - said
        self._column_squares += _sum_of_squares(column)
        self._counts += np.rint(said @ true.T).astype(np.int64)
        self._voxels += truth.size

    def errors(self) -> ConfusionErrors:
        if self._counts.sum() != self._voxels:
            raise UserError(f"A label is above {self._classes - 1}, the last of {self._classes} classes")
        said = self._said + self._weight / self._classes
        image_squares, image_entries = _image_squares(said, self._weight, self._counts)
        columns = self._voxels * self._classes
        return ConfusionErrors(
            self._squares, columns * self._classes, self._column_squares, columns, image_squares, image_entries
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


def _sum_of_squares(scratch: NDArray[Any]) -> float:
    """Squares in place; numpy's pairwise sum keeps float32 accurate where a dot product would not."""
    return float(np.square(scratch, out=scratch).sum())


def _root_mean(squares: float, entries: int) -> float:
    return math.sqrt(squares / entries) if entries else math.nan
