"""What fuse() returns: the estimated truth, confusion matrices and remarks; images are made on demand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.fusion.model import Solution, all_classes
from NoisyLabelSegLib.fusion.packing import UNKNOWN, Packed
from NoisyLabelSegLib.fusion.table import PlacedTable, VoteTable
from NoisyLabelSegLib.words import counted

_LABELS = 256


class Fusion:
    """The fused labels of one case.

    confusion: (R, L, L) float64, `[r, i, j]` = p(annotator r says i | truth is j); columns sum to one.
    confusion_counts: (R, L, L) float64, the voxels behind it, as expected under the estimated truth.
    iterations, converged: how the estimation went; 0 and True for methods that need none.
    remarks: sentences about anything that may surprise; method_remarks: those that the method has made.
    """

    def __init__(self, table: PlacedTable, found: Solution, classes: int, remarks: Sequence[str] = ()) -> None:
        unseen = np.flatnonzero(table.is_unseen)
        posterior, decided = found.posterior.astype(np.float32), found.decided.copy()
        posterior[unseen], decided[unseen] = found.values == 0, 0
        by_place = found.places is not None
        self._places = found.places or table.places
        self._posterior = posterior if by_place else posterior[table.row]
        self._decided = decided if by_place else decided[table.row]
        self._values, self._classes, self._field = found.values, classes, found.field
        self.confusion = all_classes(found.confusion, found.values, classes)
        self.confusion_counts = np.zeros_like(self.confusion)
        self.confusion_counts[:, found.values[:, None], found.values] = found.counts
        self._unmarked, self._present = table.counts[0], table.votes[0] != UNKNOWN
        self.iterations, self.converged = found.iterations, found.converged
        self.method_remarks = list(found.remarks)
        self.remarks = [*remarks, *self.method_remarks]

    @cached_property
    def labels(self) -> NDArray[np.uint8]:
        """The estimated truth, (*shape) uint8."""
        return self._places.spread(self._decided)

    def rewrite_labels(self, labels: NDArray[np.uint8], before: Fusion) -> None:
        """Turns the labels of another fusion of the same votes into these, in place: quicker than a new image.

        `labels` is (*shape) uint8 in memory order, equal to `before.labels`, such as the array behind a labelmap on the
        screen.
        """
        if before._places is self._places:
            self._places.rewrite(labels, self._decided, before._decided)
        else:
            labels[...] = self.labels

    def label_counts(self, patterns: Packed) -> NDArray[np.int64]:
        """(N, 256): how many voxels of each of N vote patterns got each label.

        `patterns` are those of the votes that were fused.
        """
        counts = np.zeros((len(patterns.counts), _LABELS), dtype=np.int64)
        if self._places is patterns:
            counts[np.arange(len(counts)), self._decided] = patterns.counts
            return counts
        pairs = patterns.codes * np.int64(_LABELS) + self._decided.take(self._places.codes)
        counts += np.bincount(pairs, minlength=counts.size).reshape(counts.shape)
        far = patterns.counts.sum() - len(pairs)  # of all marks: background to everyone
        counts[0, self._decided[0]] += far
        return counts

    def joint_counts(self, other: Fusion) -> NDArray[np.int64]:
        """(256, 256): in how many voxels this fusion and another one of the same votes decided for i and j."""
        counts = np.zeros((_LABELS, _LABELS), dtype=np.int64)
        patterns = self._places
        if isinstance(patterns, Packed) and other._places is patterns:
            np.add.at(counts, (self._decided, other._decided), patterns.counts)
        else:
            pairs = self.labels.astype(np.uint16).reshape(-1) * np.uint16(_LABELS) + other.labels.reshape(-1)
            counts += np.bincount(pairs, minlength=counts.size).reshape(counts.shape)
        return counts

    def confusion_counts_with(self, background: float) -> NDArray[np.float64]:
        """`confusion_counts` (R, L, L) with this many voxels that nobody marked instead of all those of the image."""
        posterior = np.zeros(self._classes)
        posterior[self._values] = self._posterior[0]
        counts = self.confusion_counts.copy()
        counts[self._present, 0] += (background - self._unmarked) * posterior
        return np.maximum(counts, 0)

    def probability(self, label: int, rows: slice | None = None) -> NDArray[np.float32]:
        """The probability of one class, (*shape) float32, or only these rows of its first axis."""
        places = np.flatnonzero(self._values == label)
        table = self._posterior[:, places[0]] if len(places) else np.zeros(len(self._posterior), dtype=np.float32)
        table = np.ascontiguousarray(table)
        return self._places.spread(table) if rows is None else self._places.spread_rows(table, rows)

    @cached_property
    def probabilities(self) -> NDArray[np.float32]:
        """The probability of every class, (L, *shape) float32; sums to one over the classes."""
        image = np.zeros((self._classes, *self._places.shape), dtype=np.float32)
        for value in self._values:
            image[value] = self.probability(value)
        return image

    def probability_rows(self, rows: slice) -> NDArray[np.float32]:
        """probabilities[:, rows], (L, n, ...) float32, for rows with a start and a stop; the others are not made."""
        slab = np.zeros((self._classes, rows.stop - rows.start, *self._places.shape[1:]), dtype=np.float32)
        for value in self._values:
            slab[value] = self.probability(value, rows)
        return slab

    def confusion_field(self, annotator: int | None = None) -> NDArray[np.float32]:
        """Confusion at every voxel, (R, L, L, *shape) float32, or (L, L, *shape) of one annotator; columns sum to one.

        For methods with one matrix per annotator it is a read-only view that takes no memory.
        """
        chosen = slice(None) if annotator is None else annotator
        if self._field is None:
            matrices = self.confusion[chosen].astype(np.float32)
            shape = self._places.shape
            return np.broadcast_to(matrices.reshape(matrices.shape + (1,) * len(shape)), matrices.shape + shape)
        return self._field.spread(all_classes(self._field.matrices[:, chosen], self._values, self._classes))


def remarks_on(table: VoteTable, names: Sequence[str], classes: int, *, pooled: bool = False) -> list[str]:
    """What people should know about these votes whatever the method.

    pooled: annotators were judged over other cases too, so this case says nothing about what is known of them.
    """
    seen = table.votes[table.counts > 0]
    missing = [name for name, votes in zip(names, seen.T, strict=True) if (votes == UNKNOWN).all()]
    remarks = []
    if missing:
        matrix = "" if pooled else f"; for want of evidence the confusion matrix is 1/{classes} everywhere"
        remarks.append(f"{_listed(missing)} did not label this case and had no say{matrix}.")
    if len(names) - len(missing) == 1 and not pooled:
        remarks.append("Only one annotator labeled this case, so the estimate is that annotator's labels.")
    if (seen <= 0).all():
        remarks.append("Nobody marked anything: the estimate is background everywhere.")
    elif (seen[(seen != UNKNOWN).any(axis=1)] != 0).all():
        remarks.append("Everybody marked every voxel: there is no background to learn from.")
    unseen = int(table.counts[table.is_unseen].sum())
    if unseen:
        remarks.append(f"Nobody looked at {counted(unseen, 'voxel')}, left as background.")
    absent = np.delete(np.arange(classes), table.values)
    if len(absent) and not pooled:
        remarks.append(
            f"Nobody used {'class' if len(absent) == 1 else 'classes'} {_ranges(absent)}; "
            f"what annotators would make of {'it' if len(absent) == 1 else 'them'} is unknown (1/{classes})."
        )
    return remarks


def _listed(names: Sequence[str]) -> str:
    text = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return text[0].upper() + text[1:] if text.startswith("annotator ") else text


def _ranges(numbers: NDArray[Any]) -> str:
    """Numbers as people write them: 1, 3-5."""
    parts = np.split(numbers, np.flatnonzero(np.diff(numbers) > 1) + 1)
    return ", ".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)
