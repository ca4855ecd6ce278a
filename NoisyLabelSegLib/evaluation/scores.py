"""The metrics of a folder of estimates against a study: per case, per annotator and overall."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.cases.stored_estimates import StoredEstimate, stored_estimates
from NoisyLabelSegLib.failures import Failures
from NoisyLabelSegLib.metrics.agreement import consensus, ged
from NoisyLabelSegLib.metrics.calibration_error import NOTHING, Calibration, calibration_of
from NoisyLabelSegLib.metrics.confusion import ConfusionErrors, ErrorSum, one_hot
from NoisyLabelSegLib.metrics.distributions import crps_volume, dice_match, dice_max, dice_soft, ged_iou, hm_iou
from NoisyLabelSegLib.metrics.overlap import dice, dice_of_counts, joint_counts
from NoisyLabelSegLib.progress import Map, Report, silent, steps

_OF_GROUPS = {score.__name__: score for score in (ged_iou, hm_iou, dice_soft, dice_max, dice_match)}
DISTRIBUTION_KEYS = (*_OF_GROUPS, "crps_volume")


@dataclass(frozen=True)
class AnnotatorScore:
    """How well one annotator of one case was predicted; what could not be computed is None.

    `derived` says that the predicted labels were not written but worked out from the confusion matrices.
    """

    errors: ConfusionErrors | None = None
    dice: float | None = None
    derived: bool = False


@dataclass(frozen=True)
class CaseScore:
    """The figures of one case; what could not be computed is None or NaN.

    `empty` counts the foreground classes that are empty in both truths (Dice 1) and in only one of them (Dice 0).
    `distribution` holds the scores of DISTRIBUTION_KEYS, of so many `samples`; 0: of the predicted annotators' labels.
    The CRPS of the volume is in `size_unit`.
    """

    id: str
    class_dice: NDArray[np.float64] | None = None
    empty: tuple[int, int] = (0, 0)
    annotators: Mapping[str, AnnotatorScore] = field(default_factory=dict)
    ged: float = math.nan
    predicted_consensus: float = math.nan
    real_consensus: float = math.nan
    calibration: Calibration | None = None
    samples: int = 0
    distribution: Mapping[str, float] = field(default_factory=dict)
    size_unit: str = "ml"

    @property
    def dice(self) -> float:
        return math.nan if self.class_dice is None else float(self.class_dice.mean())

    @property
    def errors(self) -> ConfusionErrors:
        """Pooled over the annotators."""
        scores = [score.errors for score in self.annotators.values() if score.errors is not None]
        return sum(scores, ConfusionErrors())


@dataclass(frozen=True)
class Evaluation:
    """The cases that have a prediction; `unpredicted` cases of the study have none."""

    study: str
    classes: tuple[str, ...]
    annotators: tuple[str, ...]
    cases: tuple[CaseScore, ...]
    unpredicted: int


def evaluate(
    predictions: str | Path,
    study: Study,
    *,
    run: Map = map,
    failures: Failures | None = None,
    report: Report = silent,
) -> Evaluation:
    """Reads one case, and of it one annotator's confusion field, at a time.

    `run` is a map that may work on several cases at once; `failures` says what to do about unusable cases.
    """
    failures, found = failures or Failures(), stored_estimates(predictions, study)
    scored = steps(run(failures.guard(score_case), found), "evaluate", report, total=len(found))
    cases = tuple(failures.sift(scored))
    failures.without(found)
    return Evaluation(study.name, study.classes, study.annotators, cases, len(study.cases) - len(found))


def score_case(prediction: StoredEstimate) -> CaseScore:
    """Only annotators who labeled the case count, among the predicted ones too; so a perfect prediction has GED 0."""
    case, classes = prediction.case, prediction.classes
    truth, estimate = case.truth(), prediction.truth()
    drawn = zip(case.annotators, case.all_labels(case.annotators), strict=True)
    annotators = [_Annotator(prediction, name, labels) for name, labels in drawn if labels is not None]
    calibrated = _read_fields(prediction, annotators, estimate, truth)
    real = [annotator.labels for annotator in annotators]
    predicted = [annotator.said for annotator in annotators if annotator.said is not None]
    complete = len(predicted) == len(real)
    samples = prediction.samples()
    group = predicted if samples is None else list(samples)
    counts = None if truth is None else joint_counts(estimate, truth, classes)
    return CaseScore(
        case.id,
        class_dice=None if counts is None else dice_of_counts(counts),
        empty=(0, 0) if counts is None else _empty(counts),
        annotators={annotator.name: annotator.score() for annotator in annotators},
        ged=ged(predicted, real, classes) if complete else math.nan,
        predicted_consensus=consensus(predicted, classes) if complete else math.nan,
        real_consensus=consensus(real, classes),
        calibration=calibrated,
        samples=0 if samples is None else len(samples),
        distribution=_distribution(prediction, group, real) if samples is not None or complete else {},
        size_unit=case.geometry.size_unit[0],
    )


def _distribution(prediction: StoredEstimate, group: Sequence[Any], real: Sequence[Any]) -> dict[str, float]:
    """The scores of drawn or predicted labels as a group against the real ones; the volume's in the unit of sizes."""
    scores = {key: score(group, real, prediction.classes) for key, score in _OF_GROUPS.items()}
    return {**scores, "crps_volume": crps_volume(group, real, prediction.case.geometry.size_unit[1])}


class _Annotator:
    """One annotator of a case, whose confusion field is read block by block.

    `said` are the predicted labels: the written ones, or the likeliest class under A p, or None.
    """

    def __init__(self, prediction: StoredEstimate, name: str, labels: NDArray[Any]) -> None:
        self.name, self.labels, self._classes = name, labels, prediction.classes
        self.said = prediction.labels(name)
        self.blocks = prediction.confusion_blocks(name)
        self._derived = self.said is None and self.blocks is not None
        if self._derived:
            self.said = np.empty(labels.shape, dtype=np.uint8)
        self._total = ErrorSum(prediction.classes)
        self._errors: ConfusionErrors | None = None

    def add(self, part: slice, p: NDArray[Any], truth: NDArray[Any] | None) -> None:
        """The next block; `p` (L, n) is the estimated truth there."""
        if self.blocks is None:
            return
        _, a = next(self.blocks)
        if truth is not None:
            self._total.add(a, p, truth.reshape(-1)[part], self.labels.reshape(-1)[part])
        if self._derived and self.said is not None:
            self.said.reshape(-1)[part] = (a * p).sum(axis=1).argmax(axis=0)

    def finish(self, truth: NDArray[Any] | None) -> None:
        if self.blocks is not None and truth is not None:
            self._errors = self._total.errors()

    def score(self) -> AnnotatorScore:
        score = None if self.said is None else dice(self.said, self.labels, self._classes)
        return AnnotatorScore(self._errors, score, self._derived)


def _read_fields(
    prediction: StoredEstimate, annotators: Sequence[_Annotator], estimate: NDArray[Any], truth: NDArray[Any] | None
) -> Calibration | None:
    """Goes through the probabilities and everyone's confusion field once, all of them side by side, block by block."""
    probable = prediction.probability_blocks()
    if probable is None and all(annotator.blocks is None for annotator in annotators):
        return None
    total = NOTHING
    certain = ((part, one_hot(estimate.reshape(-1)[part], prediction.classes)) for part in prediction.parts())
    for part, p in certain if probable is None else probable:
        if truth is not None:
            total += calibration_of(p, truth.reshape(-1)[part])
        for annotator in annotators:
            annotator.add(part, p, truth)
    for annotator in annotators:
        annotator.finish(truth)
    return None if probable is None or truth is None else total


def _empty(counts: NDArray[np.int64]) -> tuple[int, int]:
    drawn, true = counts.sum(axis=1)[1:] > 0, counts.sum(axis=0)[1:] > 0
    return int((~drawn & ~true).sum()), int((drawn ^ true).sum())
