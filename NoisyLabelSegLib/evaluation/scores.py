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
from NoisyLabelSegLib.metrics.calibration_error import Calibration, calibration
from NoisyLabelSegLib.metrics.confusion import ConfusionErrors, ErrorSum, TruthParts
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
    truth, estimate, probability = case.truth(), prediction.truth(), prediction.probabilities()
    likely = TruthParts(estimate if probability is None else probability, estimate.ndim)
    scores: dict[str, AnnotatorScore] = {}
    real, predicted = [], []
    for name, labels in zip(case.annotators, case.all_labels(case.annotators), strict=True):
        if labels is not None:
            scores[name], said = _score_annotator(prediction, name, likely, truth, labels)
            real.append(labels)
            predicted += [] if said is None else [said]
    complete = len(predicted) == len(real)
    samples = prediction.samples()
    group = predicted if samples is None else list(samples)
    counts = None if truth is None else joint_counts(estimate, truth, classes)
    return CaseScore(
        case.id,
        class_dice=None if counts is None else dice_of_counts(counts),
        empty=(0, 0) if counts is None else _empty(counts),
        annotators=scores,
        ged=ged(predicted, real, classes) if complete else math.nan,
        predicted_consensus=consensus(predicted, classes) if complete else math.nan,
        real_consensus=consensus(real, classes),
        calibration=None if probability is None or truth is None else calibration(probability, truth),
        samples=0 if samples is None else len(samples),
        distribution=_distribution(prediction, group, real) if samples is not None or complete else {},
    )


def _distribution(prediction: StoredEstimate, group: Sequence[Any], real: Sequence[Any]) -> dict[str, float]:
    """The scores of drawn or predicted labels as a group against the real ones; the volume's in milliliters."""
    scores = {key: score(group, real, prediction.classes) for key, score in _OF_GROUPS.items()}
    return {**scores, "crps_volume": crps_volume(group, real, prediction.case.geometry.voxel_volume / 1000)}


def _score_annotator(
    prediction: StoredEstimate, name: str, likely: TruthParts, truth: NDArray[Any] | None, labels: NDArray[Any]
) -> tuple[AnnotatorScore, NDArray[Any] | None]:
    """The score and the predicted labels: the written ones, or the likeliest class under A p."""
    said, blocks, classes = prediction.labels(name), prediction.confusion_blocks(name), prediction.classes
    if blocks is None:
        return AnnotatorScore(dice=None if said is None else dice(said, labels, classes)), said
    total, derived = ErrorSum(classes), said is None
    said = np.empty(labels.shape, dtype=np.uint8) if said is None else said
    for part, a in blocks:
        p = likely.part(part, classes)
        if truth is not None:
            total.add(a, p, truth.reshape(-1)[part], labels.reshape(-1)[part])
        if derived:
            said.reshape(-1)[part] = (a * p).sum(axis=1).argmax(axis=0)
    errors = None if truth is None else total.errors()
    return AnnotatorScore(errors, dice(said, labels, classes), derived), said


def _empty(counts: NDArray[np.int64]) -> tuple[int, int]:
    drawn, true = counts.sum(axis=1)[1:] > 0, counts.sum(axis=0)[1:] > 0
    return int((~drawn & ~true).sum()), int((drawn ^ true).sum())
