"""How good the labels of one annotator of one case are: every figure with its unit, every corner case defined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from NoisyLabelSegLib.metrics.figures import figures, ratio
from NoisyLabelSegLib.metrics.surfaces import Shape, boundary_distances, match
from NoisyLabelSegLib.review.compare.options import MILLIMETERS, ReviewOptions, Units


@dataclass(frozen=True)
class AnnotatorStatistics:
    """One annotator, one case, one class. In 2D a volume is the area of one slice taken as 1 mm thick.

    `dice_leave_one_out` is the Dice to a reference that excludes the annotator's own labels, where the reference is a
    fusion. `specificity` is counted within 10 mm of anything marked. `wrong_class_ml` is the part of the true class (of
    all, in the row of all classes) that was marked as another class.
    """

    case: str
    annotator: str
    label: str
    dice: float
    dice_leave_one_out: float | None
    sensitivity: float | None
    specificity: float | None
    precision: float | None
    volume_ml: float
    truth_volume_ml: float
    volume_bias_ml: float
    volume_bias_percent: float | None
    missed_ml: float
    extra_ml: float
    wrong_class_ml: float
    hd95_mm: float | None
    surface_distance_mm: float | None
    boundary_bias_mm: float | None
    objects: int
    missed_objects: int
    drawn_objects: int
    invented_objects: int
    largest_missed_mm3: float | None
    voxel_mm: float
    agreement: Mapping[str, float] = field(default_factory=dict)
    """Dice with every other annotator of the case."""
    fused_from: int | None = None
    """How many annotators' labels the reference was fused from; None where this annotator's are not among them."""
    units: Units = MILLIMETERS


FIGURES = tuple(
    name
    for name in AnnotatorStatistics.__dataclass_fields__
    if name not in ("case", "annotator", "label", "voxel_mm", "agreement", "fused_from", "units")
)
"""The names of the figures, in the order of the tables."""


@dataclass(frozen=True)
class Subject:
    """Whose labels of what are compared, and in which units."""

    case: str
    annotator: str
    label: str
    units: Units


@dataclass(frozen=True)
class Overlap:
    """Voxels: common, drawn, true, marked as another class, and all of the region; the Dice with every other annotator.

    `dice_leave_one_out` and `fused_from` as in AnnotatorStatistics.
    """

    both: int
    drawn: int
    true: int
    wrong_class: int
    voxels: int
    agreement: Mapping[str, float]
    dice_leave_one_out: float | None = None
    fused_from: int | None = None


def annotator_statistics(
    subject: Subject, drawn: Shape, truth: Shape, overlap: Overlap, settings: ReviewOptions
) -> AnnotatorStatistics:
    """Compares two shapes, cut out of a volume whose counts are in `overlap`."""
    found = figures(overlap.both, overlap.drawn, overlap.true, overlap.voxels)
    both, said, true = overlap.both, overlap.drawn, overlap.true
    voxel_mm3 = float(np.prod(truth.spacing))
    matches = match(truth.objects, drawn.objects, share=settings.matching_share)
    distances = boundary_distances(drawn, truth, matches)
    counted = truth.objects.voxels * voxel_mm3 >= settings.smallest_object
    drawn_counted = drawn.objects.voxels * voxel_mm3 >= settings.smallest_object
    missed = truth.objects.voxels[counted & ~matches.found] * voxel_mm3
    return AnnotatorStatistics(
        case=subject.case,
        annotator=subject.annotator,
        label=subject.label,
        dice=found.dice,
        dice_leave_one_out=overlap.dice_leave_one_out,
        sensitivity=found.sensitivity,
        specificity=found.specificity,
        precision=found.precision,
        volume_ml=said * voxel_mm3 / 1000,
        truth_volume_ml=true * voxel_mm3 / 1000,
        volume_bias_ml=(said - true) * voxel_mm3 / 1000,
        volume_bias_percent=ratio(100 * (said - true), true),
        missed_ml=(true - both) * voxel_mm3 / 1000,
        extra_ml=(said - both) * voxel_mm3 / 1000,
        wrong_class_ml=overlap.wrong_class * voxel_mm3 / 1000,
        hd95_mm=distances.hd95,
        surface_distance_mm=distances.mean,
        boundary_bias_mm=distances.bias,
        objects=int(np.count_nonzero(counted)),
        missed_objects=len(missed),
        drawn_objects=int(np.count_nonzero(drawn_counted)),
        invented_objects=int(np.count_nonzero(drawn_counted & ~matches.real)),
        largest_missed_mm3=float(missed.max()) if missed.size else None,
        voxel_mm=float(truth.spacing.min()),
        agreement=overlap.agreement,
        fused_from=overlap.fused_from,
        units=subject.units,
    )
