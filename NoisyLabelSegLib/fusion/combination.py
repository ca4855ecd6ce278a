"""The truth from image and labels: a model's probabilities and confusion matrices combined with annotators' labels."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.label_agreement import NEUTRAL, LabelAgreement
from NoisyLabelSegLib.fusion.methods import DEFAULT, METHODS
from NoisyLabelSegLib.fusion.votes import Votes
from NoisyLabelSegLib.metrics.overlap import dice_of_counts

Labels = NDArray[np.uint8]
Half = NDArray[np.float16]

LEAST_PROBABILITY, LEAST_CONFUSION = 1e-4, 1e-3
"""Below these, probabilities and entries of confusion matrices do not count: a network is never that sure."""

FORM = 2
"""Counts up with every change of how image and labels are combined, for records of what was measured."""

NEGLIGIBLE = 0.01
"""Where the foreground is less probable than this and nobody marked anything, a voxel is background."""

LABELS_SHARE, DECLINE = 1.5, 3
"""The exponents of the confusion matrices: LABELS_SHARE times the relative agreement to the power DECLINE, divided by
the number of labels. They and SUPPORT were chosen as docs/method.md describes."""

FEWEST_TO_COMPARE = 3
"""With fewer labels of a case, their agreement says nothing about whether the annotators or the network err."""


class LabeledPrediction:
    """What a model predicts for one case together with the labels of that case, ready to be combined in an instant.

    Everything is kept in the box around what is foreground by the model or by any label, as float16.

    Parameters
    ----------
    probabilities
        The model's p, (L, \\*shape).
    confusion
        Annotator to the model's A, (L, L, \\*shape), or (L, L) for one matrix for all voxels; entry i, j is
        p(label i | true class j). An annotator without one is treated as the average of those who have one. Or pairs
        of these, one at a time, so that the fields of all need not be in memory together.
    labels
        Annotator to labels (\\*shape) of classes 0 to L - 1.
    agreement
        Measured on the labels of validation cases, as model cards hold it; None: measured on this case, if it has
        three labels or more, used or not.

    Raises
    ------
    UserError
        If the arrays do not fit each other, or there is no confusion matrix at all.

    Examples
    --------
    Two annotators, of whom the model has learned that the first always marks too much:

    >>> p = np.array([[0.9, 0.6, 0.2], [0.1, 0.4, 0.8]])
    >>> matrices = {"over": np.array([[0.5, 0.0], [0.5, 1.0]]), "good": np.array([[0.95, 0.05], [0.05, 0.95]])}
    >>> labels = {"over": np.array([1, 1, 1]), "good": np.array([0, 1, 1])}
    >>> case = LabeledPrediction(p, matrices, labels)
    >>> case.combine().labels.tolist()
    [0, 1, 1]
    >>> case.combine(["over"]).labels.tolist()
    [0, 0, 1]
    """

    def __init__(
        self,
        probabilities: NDArray[Any],
        confusion: Mapping[str, NDArray[Any]] | Iterable[tuple[str, NDArray[Any]]],
        labels: Mapping[str, NDArray[Any]],
        *,
        agreement: LabelAgreement | None = None,
    ) -> None:
        self.classes, self.shape = len(probabilities), probabilities.shape[1:]
        self.annotators, self.agreement = tuple(labels), agreement
        for name, drawn in labels.items():
            _require_fit(name, drawn, self.shape, self.classes)
        marked = 1 - probabilities[0] >= NEGLIGIBLE
        for drawn in labels.values():
            marked |= drawn > 0
        self._box = _box_around(marked)
        self._p = _half(probabilities[(slice(None), *self._box)])
        self._labels: dict[str, Labels] = {name: drawn[self._box].astype(np.uint8) for name, drawn in labels.items()}
        self._confusion = dict[str, Half]()
        self._add_confusion(confusion.items() if isinstance(confusion, Mapping) else confusion)

    def _add_confusion(self, confusion: Iterable[tuple[str, NDArray[Any]]]) -> None:
        total: Any = 0
        count, known = 0, set[str]()
        for name, matrices in confusion:
            cropped = self._cropped(matrices)
            total, count = total + cropped.astype(np.float32), count + 1
            if name in self._labels:
                known.add(name)
                self._confusion[name] = cropped
        if not count:
            raise UserError("The model knows no annotators' confusion matrices", remedy="fuse the labels instead")
        self.unknown = tuple(name for name in self.annotators if name not in known)
        self._confusion |= dict.fromkeys(self.unknown, _half(total / count))

    def combine(self, annotators: Collection[str] | None = None) -> Combination:
        """The combined truth with the labels of these annotators (None: of all who labeled the case)."""
        names = [name for name in self.annotators if annotators is None or name in annotators]
        model = _normalized(_logarithm(self._p.astype(np.float32)))
        if not names:
            return Combination(self, model, (), 0.0, 0.0, None)
        agreement = self.agreement or self._own_agreement
        relative = NEUTRAL if agreement is None else agreement.relative
        power = LABELS_SHARE * relative**DECLINE / len(names)
        logs = _logarithm(model) + power * self._log_likelihood(names)
        weight = 0.0
        if agreement is not None:
            fused, support = self._fused(names, agreement)
            weight = max(support * min(1.0, (len(names) - 1) / 2), agreement.shortfall)
            logs = (1 - np.float32(weight)) * _logarithm(_normalized(logs)) + np.float32(weight) * _logarithm(fused)
        return Combination(self, _normalized(logs), tuple(names), power, weight, agreement)

    def _fused(self, names: Sequence[str], agreement: LabelAgreement) -> tuple[NDArray[np.float32], float]:
        """The probabilities (L, *box) of the default fusion of these labels, and how far they can be trusted."""
        fusion = self._votes.fuse(DEFAULT, annotators=[self.annotators.index(name) for name in names])
        close = dice_of_counts(self._votes.counts_against(fusion)[..., : self.classes]).mean(axis=-1)
        return fusion.probabilities, agreement.support({name: close[self.annotators.index(name)] for name in names})

    @cached_property
    def _votes(self) -> Votes:
        """Everyone's labels in the box, packed, so that other annotators are fused in an instant."""
        return Votes(list(self._labels.values()), classes=self.classes)

    def _log_likelihood(self, names: Sequence[str]) -> NDArray[np.float32]:
        """(L, *box): the sum over annotators r of log a^(r)[y_r, y]."""
        total = np.zeros(self._p.shape, dtype=np.float32)
        for name in names:
            drawn = self._labels[name][None, None].astype(np.intp)
            said = np.take_along_axis(self._confusion[name], drawn, axis=0)[0].astype(np.float32)
            total += np.log(np.maximum(said, LEAST_CONFUSION))
        return total

    @cached_property
    def _own_agreement(self) -> LabelAgreement | None:
        """Measured on all labels of the case, used or not: the best annotator may be among those left out."""
        if len(self._labels) < FEWEST_TO_COMPARE:
            return None
        return LabelAgreement.of(self._p.argmax(axis=0).astype(np.uint8), self._labels, self.classes)

    def _cropped(self, matrices: NDArray[Any]) -> Half:
        """(L, L, *box); one matrix for all voxels is a view that takes no memory."""
        if matrices.ndim > 2:
            return _half(matrices[(slice(None), slice(None), *self._box)])
        whole = (self.classes, self.classes, *self._p.shape[1:])
        return np.broadcast_to(_half(matrices).reshape(*matrices.shape, *(1 for _ in self.shape)), whole)

    def spread(self, box: NDArray[Any], outside: float = 0) -> NDArray[Any]:
        """Values (*box) on the whole grid, (*shape)."""
        image = np.full(self.shape, outside, dtype=box.dtype)
        image[self._box] = box
        return image


@dataclass(frozen=True)
class Combination:
    """The truth estimated from image and labels.

    annotators: whose labels were used; power: the exponent of each one's confusion matrix; fusion_weight: the weight of
    the default fusion in the geometric mean; agreement: what these were chosen by, None where there was nothing.
    """

    prediction: LabeledPrediction
    box: NDArray[np.float32]
    annotators: tuple[str, ...]
    power: float
    fusion_weight: float
    agreement: LabelAgreement | None

    @cached_property
    def labels(self) -> Labels:
        """The estimated truth, (*shape) uint8."""
        return self.prediction.spread(self.box.argmax(axis=0).astype(np.uint8))

    def probability(self, label: int) -> NDArray[np.float32]:
        """The probability of one class, (*shape) float32."""
        return self.prediction.spread(self.box[label], outside=float(label == 0))

    @cached_property
    def probabilities(self) -> NDArray[np.float32]:
        """(L, *shape) float32; sums to one over the classes."""
        return np.stack([self.probability(label) for label in range(self.prediction.classes)])

    @property
    def remarks(self) -> list[str]:
        """What people should know about how the labels were used."""
        if not self.annotators:
            return ["Nobody labeled this case: the estimate is the model's, from the image alone."]
        title, share = METHODS[DEFAULT].title, f"{self.fusion_weight:.0%}"
        people = f"{len(self.annotators)} annotator{'s' if len(self.annotators) > 1 else ''}"
        found = [f"The labels of {people} and the image; the share of {title} is {share}."]
        if self.agreement is not None and self.agreement.shortfall > 0:
            found.append(
                f"The model agrees less with the annotators (Dice {self.agreement.mean:.2f}) than they do with each "
                f"other ({self.agreement.annotators:.2f}), so the fused labels count more."
            )
        unknown = [name for name in self.prediction.unknown if name in self.annotators]
        if unknown:
            found.append(
                f"The model was not trained on labels of {', '.join(unknown)}, who count as the average annotator."
            )
        return found

    def to_json(self) -> dict[str, Any]:
        """How the labels were used, for a record."""
        found = {"annotators": list(self.annotators), "power": self.power, "fusion": DEFAULT}
        found |= {"fusion_weight": self.fusion_weight, "remarks": self.remarks}
        if self.agreement is not None:
            found |= {"network_dice": self.agreement.mean, "annotator_dice": self.agreement.annotators}
        return found


def _require_fit(name: str, drawn: NDArray[Any], shape: tuple[int, ...], classes: int) -> None:
    if drawn.shape != shape:
        raise UserError(
            f"The labels of {name} have the shape {drawn.shape}, but the image has {shape}",
            remedy="give labels on the grid of the image",
        )
    if drawn.dtype.kind not in "bui" or (drawn.size and not 0 <= int(drawn.min()) <= int(drawn.max()) < classes):
        raise UserError(
            f"The labels of {name} are not whole numbers from 0 to {classes - 1}",
            remedy="give labels of the classes that the model was trained on",
        )


def _box_around(marked: NDArray[np.bool_]) -> tuple[slice, ...]:
    """The smallest box that holds all marked voxels; the first voxel where there are none."""
    box = []
    for axis in range(marked.ndim):
        places = np.flatnonzero(marked.any(axis=tuple(other for other in range(marked.ndim) if other != axis)))
        box.append(slice(int(places[0]), int(places[-1]) + 1) if len(places) else slice(0, 1))
    return tuple(box)


def _normalized(logs: NDArray[np.float32]) -> NDArray[np.float32]:
    """Probabilities (L, *box) proportional to exp(logs)."""
    found = np.exp(logs - logs.max(axis=0, keepdims=True))
    return np.asarray(found / found.sum(axis=0, keepdims=True))


def _logarithm(probabilities: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.log(np.maximum(probabilities, LEAST_PROBABILITY))


def _half(values: NDArray[Any]) -> Half:
    return np.ascontiguousarray(values, dtype=np.float16)
