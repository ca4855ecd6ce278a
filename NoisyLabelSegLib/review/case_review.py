"""Everything there is to say about the annotators of one case against one truth; arrays in, plain data out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.metrics import joint_counts
from NoisyLabelSegLib.review.crop import Box, busy_box
from NoisyLabelSegLib.review.error_map import error_map
from NoisyLabelSegLib.review.mistakes import Mistake, MistakeFinder
from NoisyLabelSegLib.review.settings import ReviewSettings
from NoisyLabelSegLib.review.shape import LabelShapes, Shape
from NoisyLabelSegLib.review.statistics import (
    ALL_CLASSES,
    AnnotatorStatistics,
    Subject,
    annotator_statistics,
    dice,
)
from NoisyLabelSegLib.review.units import units_of


@dataclass(frozen=True)
class CaseReview:
    """Per annotator, `error_maps` (*shape) uint8 and `confusion` (L, L) int64: how often i was said where j is true."""

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
    settings: ReviewSettings | None = None,
    mistakes: bool = True,
) -> CaseReview:
    """Compares annotators' labels (*shape) uint8 with a truth (*shape) uint8 on one grid."""
    settings = settings or ReviewSettings()
    box = busy_box([truth, *labels.values()], geometry.shape)
    spacing, count = geometry.spacing_zyx, len(classes)
    true = LabelShapes(truth[box], spacing, count)
    drawn = {name: LabelShapes(array[box], spacing, count) for name, array in labels.items()}
    finder = MistakeFinder(case, drawn, true, box=box, geometry=geometry, classes=tuple(classes), settings=settings)
    return CaseReview(
        case=case,
        statistics=tuple(_statistics(case, drawn, true, tuple(classes), geometry, settings)),
        mistakes=tuple(mistake for name in drawn for mistake in finder.find(name)) if mistakes else (),
        error_maps={name: _whole(error_map(shapes.labels, true.labels), box, truth) for name, shapes in drawn.items()},
        confusion={name: _confusion(shapes, true, truth.size) for name, shapes in drawn.items()},
    )


def _statistics(
    case: str,
    drawn: Mapping[str, LabelShapes],
    truth: LabelShapes,
    classes: tuple[str, ...],
    geometry: Geometry,
    settings: ReviewSettings,
) -> Iterator[AnnotatorStatistics]:
    for label, name in enumerate([*classes[1:], *([ALL_CLASSES] if len(classes) > 2 else [])], start=1):
        shapes = {annotator: _shape(all_shapes, label) for annotator, all_shapes in drawn.items()}
        agreement = _agreement({annotator: shape.mask for annotator, shape in shapes.items()})
        for annotator, shape in shapes.items():
            yield annotator_statistics(
                Subject(case, annotator, name),
                shape,
                _shape(truth, label),
                voxels=math.prod(geometry.shape),
                agreement=agreement[annotator],
                settings=settings,
                units=units_of(geometry),
            )


def _shape(shapes: LabelShapes, label: int) -> Shape:
    return shapes.of_class(label) if label < shapes.classes else shapes.foreground


def _agreement(masks: Mapping[str, NDArray[np.bool_]]) -> dict[str, dict[str, float]]:
    """Dice of every annotator with every other one."""
    sizes = {name: int(np.count_nonzero(mask)) for name, mask in masks.items()}
    found: dict[str, dict[str, float]] = {name: {} for name in masks}
    for one in masks:
        for other in masks:
            if one < other:
                both = int(np.count_nonzero(masks[one] & masks[other]))
                found[one][other] = found[other][one] = dice(both, sizes[one], sizes[other])
    return found


def _confusion(drawn: LabelShapes, truth: LabelShapes, voxels: int) -> NDArray[np.int64]:
    counts = joint_counts(drawn.labels, truth.labels, truth.classes)
    counts[0, 0] += voxels - truth.labels.size
    return counts


def _whole(part: NDArray[np.uint8], box: Box, like: NDArray[Any]) -> NDArray[np.uint8]:
    whole = np.zeros(like.shape, dtype=np.uint8)
    whole[box] = part
    return whole
