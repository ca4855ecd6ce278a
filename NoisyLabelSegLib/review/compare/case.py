"""Everything there is to say about the annotators of one case against one truth; arrays in, plain data out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.fusion.leave_one_out import FusedFrom
from NoisyLabelSegLib.metrics import dice_of_sizes, pairwise_counts
from NoisyLabelSegLib.metrics.components import Box, busy_box
from NoisyLabelSegLib.metrics.figures import ALL_CLASSES, voxels_near
from NoisyLabelSegLib.metrics.surfaces import LabelShapes, Shape
from NoisyLabelSegLib.progress import Report, silent, steps
from NoisyLabelSegLib.review.compare.error_map import ErrorMaps
from NoisyLabelSegLib.review.compare.mistakes import CaseView, Mistake, find_mistakes
from NoisyLabelSegLib.review.compare.options import ReviewOptions, units_of
from NoisyLabelSegLib.review.compare.statistics import AnnotatorStatistics, Overlap, Subject, annotator_statistics

_MUCH_TO_COPY = 1 << 24


@dataclass(frozen=True)
class CaseReview:
    """Per annotator, `error_maps` (*shape) uint8 and `confusion` (L, L) int64: how often i was said where j is true.

    Background is counted in the voxels within 10 mm of anything marked by anyone or in the truth.
    """

    case: str
    statistics: tuple[AnnotatorStatistics, ...]
    mistakes: tuple[Mistake, ...]
    error_maps: Mapping[str, NDArray[np.uint8]]
    confusion: Mapping[str, NDArray[np.int64]]

    def of(self, annotator: str) -> tuple[AnnotatorStatistics, ...]:
        """The annotator's statistics, one per class, all classes together last where there are several."""
        return tuple(row for row in self.statistics if row.annotator == annotator)


def review_case(
    labels: Mapping[str, NDArray[Any]],
    truth: NDArray[Any],
    geometry: Geometry,
    *,
    classes: Sequence[str] = ("background", "foreground"),
    case: str = "",
    settings: ReviewOptions | None = None,
    mistakes: bool = True,
    fused_from: FusedFrom | None = None,
    report: Report = silent,
) -> CaseReview:
    """Compares annotators' labels (*shape) uint8 with a truth (*shape) uint8 on one grid.

    `fused_from` says what a truth that is a fusion was fused from; then `dice_leave_one_out` is given too. Counts that
    it does not hold yet are made of the labels.
    """
    settings = settings or ReviewOptions()
    box = _worthwhile(busy_box([truth, *labels.values()], geometry.shape), geometry.shape)
    inside = {name: np.ascontiguousarray(array[box]) for name, array in labels.items()}
    true = LabelShapes(np.ascontiguousarray(truth[box]), geometry.spacing_zyx, len(classes))
    origin = None if fused_from is None else fused_from.counted(labels, len(classes))
    counts = _Counts(inside, true.labels, len(classes), geometry.spacing_zyx, origin)
    view = CaseView(case, inside, true, box, geometry, tuple(classes), settings)
    rows: list[AnnotatorStatistics] = []
    found: list[Mistake] = []
    for name, array in steps(inside.items(), "review", report):  # one at a time: shapes take much memory
        drawn = LabelShapes(array, geometry.spacing_zyx, len(classes))
        for label, title in enumerate([*classes[1:], *([ALL_CLASSES] if len(classes) > 2 else [])], start=1):
            subject = Subject(case, name, title, units_of(geometry))
            overlap = counts.overlap(name, label)
            rows.append(annotator_statistics(subject, _shape(drawn, label), _shape(true, label), overlap, settings))
        if mistakes:
            found += find_mistakes(view, name, drawn)
    return CaseReview(
        case, tuple(rows), tuple(found), ErrorMaps(labels, truth), {name: counts.confusion(name) for name in labels}
    )


class _Counts:
    """How all labels and the truth of a case coincide, from one pass over the voxels."""

    def __init__(
        self,
        labels: Mapping[str, NDArray[Any]],
        truth: NDArray[Any],
        classes: int,
        spacing_zyx: tuple[float, ...],
        fused_from: FusedFrom | None,
    ) -> None:
        marked = truth != 0
        for array in labels.values():
            marked |= array != 0
        self._region = voxels_near(marked, spacing_zyx)
        self._table = pairwise_counts([truth, *labels.values()], classes)
        self._table[:, :, 0, 0] += self._region - truth.size  # background to everyone, as far as the region goes
        self._places = {name: place for place, name in enumerate(labels, start=1)}
        self._classes, self._fused_from = classes, fused_from

    def confusion(self, annotator: str) -> NDArray[np.int64]:
        """How often the annotator says i where the truth is j, (L, L)."""
        return np.asarray(self._table[self._places[annotator], 0])

    def overlap(self, annotator: str, label: int) -> Overlap:
        """The voxels of one class, or of everything but background for a label beyond the last."""
        place = self._places[annotator]
        others = {name: other for name, other in self._places.items() if other != place}
        return Overlap(
            both=self._common(place, 0, label),
            drawn=self._common(place, place, label),
            true=self._common(0, 0, label),
            wrong_class=self._mixed_up(place, label),
            voxels=self._region,
            agreement={name: self._dice(place, other, label) for name, other in others.items()},
            dice_leave_one_out=self._dice_leave_one_out(annotator, label),
            fused_from=self._contributors(annotator),
        )

    def _contributors(self, annotator: str) -> int | None:
        """How many annotators' labels the truth was fused from; None where this one's are not among them."""
        origin = self._fused_from
        return None if origin is None or annotator not in origin.annotators else len(origin.annotators)

    def _dice_leave_one_out(self, annotator: str, label: int) -> float | None:
        """A fusion without the annotator's labels excludes them already."""
        if self._fused_from is None:
            return None
        if annotator not in self._fused_from.annotators:
            return self._dice(self._places[annotator], 0, label)
        return self._fused_from.dice(annotator, label)

    def _common(self, one: int, other: int, label: int) -> int:
        pair = self._table[one, other]
        return int(pair[label, label]) if label < self._classes else int(pair[1:, 1:].sum())

    def _mixed_up(self, place: int, label: int) -> int:
        """The voxels of a true class, or of all of them, that were marked as another class."""
        marked = self._table[place, 0][1:, 1:]
        mixed = marked.sum(axis=0) - np.diagonal(marked)
        return int(mixed[label - 1]) if label < self._classes else int(mixed.sum())

    def _dice(self, one: int, other: int, label: int) -> float:
        both, first, second = (self._common(*pair, label) for pair in ((one, other), (one, one), (other, other)))
        return float(dice_of_sizes(both, first, second))


def _worthwhile(box: Box, shape: tuple[int, ...]) -> Box:
    """The box, or all of a large volume that is mostly in the box, so that nothing large is copied."""
    inside = math.prod(part.stop - part.start for part in box)
    whole = inside > _MUCH_TO_COPY and 2 * inside > math.prod(shape)
    return tuple(slice(0, size) for size in shape) if whole else box


def _shape(shapes: LabelShapes, label: int) -> Shape:
    return shapes.of_class(label) if label < shapes.classes else shapes.foreground
