"""An evaluation as plain figures for a file, a table or the `result` event."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from NoisyLabelSegLib.evaluation.scores import DISTRIBUTION_KEYS, CaseScore, Evaluation
from NoisyLabelSegLib.metrics.agreement import correlation
from NoisyLabelSegLib.metrics.confusion import ConfusionErrors
from NoisyLabelSegLib.words import counted

CM_KEYS = ("cm_rmse", "cm_rmse_column", "cm_rmse_image")

_NO_MATRIX = (
    "No case has a truth together with an annotator's labels and confusion matrix "
    "(confusion_<name>.nrrd, or annotators.json for matrices that hold everywhere)."
)
_WHY = {
    "dice": "No case has both a prediction and a truth.",
    **dict.fromkeys(CM_KEYS, _NO_MATRIX),
    "ged": "No case has predicted labels (annotator_<name>.nrrd) or confusion matrices for all who labeled it.",
    **dict.fromkeys(DISTRIBUTION_KEYS, "No case has samples.nrrd, or predicted labels for all who labeled it."),
    "consensus_r": "It needs predicted annotators on two cases or more that differ in how far annotators agree.",
    "ece": "No case has both truth_probability.nrrd and a truth.",
    "brier": "No case has both truth_probability.nrrd and a truth.",
}


def _of_group(case: CaseScore, key: str) -> float:
    return case.distribution.get(key, math.nan)


_PER_CASE: dict[str, Callable[[CaseScore], float]] = {
    "dice": lambda case: case.dice,
    "cm_rmse": lambda case: case.errors.cm_rmse,
    "cm_rmse_column": lambda case: case.errors.cm_rmse_column,
    "cm_rmse_image": lambda case: case.errors.cm_rmse_image,
    "ged": lambda case: case.ged,
    **{key: partial(_of_group, key=key) for key in DISTRIBUTION_KEYS},
    "predicted_consensus": lambda case: case.predicted_consensus,
    "real_consensus": lambda case: case.real_consensus,
    "ece": lambda case: math.nan if case.calibration is None else case.calibration.ece,
    "brier": lambda case: math.nan if case.calibration is None else case.calibration.brier,
}


def summary(evaluation: Evaluation) -> dict[str, Any]:
    """Everything as JSON would have it; figures that cannot be computed are None, and `why` says why.

    Dice and GED are means over cases; the CM errors and the calibration pool all voxels.
    """
    cases = evaluation.cases
    pooled = _pooled(case.errors for case in cases)
    calibrations = [case.calibration for case in cases if case.calibration is not None]
    calibrated = sum(calibrations[1:], calibrations[0]) if calibrations else None
    figures = {
        "dice": _mean([case.dice for case in cases]),
        **{key: float(getattr(pooled, key)) for key in CM_KEYS},
        "ged": _mean([case.ged for case in cases]),
        **{key: _mean([_of_group(case, key) for case in cases]) for key in DISTRIBUTION_KEYS},
        "consensus_r": _consensus_r(cases),
        "ece": math.nan if calibrated is None else calibrated.ece,
        "brier": math.nan if calibrated is None else calibrated.brier,
    }
    return {
        "study": evaluation.study,
        **{key: _number(value) for key, value in figures.items()},
        "crps_volume_unit": " or ".join(sorted({case.size_unit for case in cases})),
        "samples": min((case.samples for case in cases), default=0),
        "why": {key: _WHY[key] for key, value in figures.items() if math.isnan(value)},
        "spread": {key: _number(_spread([get(case) for case in cases])) for key, get in _PER_CASE.items()},
        "cases_counted": {key: _count([get(case) for case in cases]) for key, get in _PER_CASE.items()},
        "empty": {"both": sum(case.empty[0] for case in cases), "one": sum(case.empty[1] for case in cases)},
        "classes": _classes(evaluation),
        "annotators": {name: _annotator(evaluation, name) for name in evaluation.annotators},
        "cases": [_case(case) for case in cases],
        "remarks": _remarks(evaluation),
    }


def _case(case: CaseScore) -> dict[str, Any]:
    return {"id": case.id, **{key: _number(get(case)) for key, get in _PER_CASE.items()}}


def _classes(evaluation: Evaluation) -> dict[str, Any]:
    scores = [case.class_dice for case in evaluation.cases if case.class_dice is not None]
    result = {}
    for index, name in enumerate(evaluation.classes[1:]):
        dice = [float(score[index]) for score in scores]
        result[name] = {"dice": _number(_mean(dice)), "spread": _number(_spread(dice))}
    return result


def _annotator(evaluation: Evaluation, name: str) -> dict[str, Any]:
    """`dice` is of the predicted against the real labels of this annotator."""
    scores = [case.annotators[name] for case in evaluation.cases if name in case.annotators]
    errors = _pooled(score.errors for score in scores if score.errors is not None)
    dice = [score.dice for score in scores if score.dice is not None]
    return {
        "cases": len(scores),
        "dice": _number(_mean(dice)),
        "dice_spread": _number(_spread(dice)),
        **{key: _number(getattr(errors, key)) for key in CM_KEYS},
    }


def _remarks(evaluation: Evaluation) -> list[str]:
    remarks = []
    if evaluation.unpredicted:
        total = counted(len(evaluation.cases) + evaluation.unpredicted, "case")
        remarks.append(f"Without a prediction, and left out: {evaluation.unpredicted} of {total}.")
    derived = sum(any(score.derived for score in case.annotators.values()) for case in evaluation.cases)
    if derived:
        remarks.append(f"On {counted(derived, 'case')}, predicted labels were worked out from the confusion matrices.")
    if len(evaluation.cases) == 2 and not math.isnan(_consensus_r(evaluation.cases)):
        remarks.append("consensus_r of two cases is always 1 or -1 and says nothing.")
    return remarks


def _consensus_r(cases: tuple[CaseScore, ...]) -> float:
    return correlation([case.predicted_consensus for case in cases], [case.real_consensus for case in cases])


def _pooled(errors: Iterable[ConfusionErrors]) -> ConfusionErrors:
    return sum(errors, ConfusionErrors())


def _known(values: list[float]) -> list[float]:
    return [value for value in values if not math.isnan(value)]


def _mean(values: list[float]) -> float:
    known = _known(values)
    return float(np.mean(known)) if known else math.nan


def _spread(values: list[float]) -> float:
    """The standard deviation over cases; 0 for one case."""
    known = _known(values)
    return float(np.std(known)) if known else math.nan


def _count(values: list[float]) -> int:
    return len(_known(values))


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
