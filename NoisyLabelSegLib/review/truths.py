"""Where the reference of a review comes from: a folder of estimates, a fusion method, or the study itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Case, Study
from NoisyLabelSegLib.cases.estimates import TRUTH
from NoisyLabelSegLib.cases.stored_estimates import StoredEstimate, folder_advice
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.failures import Failures
from NoisyLabelSegLib.fusion import METHODS
from NoisyLabelSegLib.fusion.leave_one_out import FusedFrom
from NoisyLabelSegLib.fusion.study_fuser import FusionPlan, StudyFuser, stored_fuser
from NoisyLabelSegLib.progress import Map, Report, silent

OWN_TRUTH = "study"
"""Stands for the truth that the study file names."""

LOCAL_METHODS = ("spatial-staple",)
"""Methods whose confusion differs from place to place, so that expected errors are worth a map."""


@dataclass(frozen=True)
class Truth:
    """Labels (*shape) uint8; class probabilities (L, *shape) where known; a confusion field per annotator where known.

    `confusion(annotator)` is (L, L, *shape) or None. `fused_from` is given where the labels are a fusion.
    """

    labels: NDArray[np.uint8]
    probabilities: NDArray[Any] | None = None
    confusion: Callable[[str], NDArray[Any] | None] = lambda _annotator: None
    fused_from: FusedFrom | None = None


TruthOf = Callable[[Case], Truth | None]
"""The truth of a case, None where there is none."""


def truth_source(
    name: str, study: Study, report: Report = silent, *, run: Map = map, failures: Failures | None = None
) -> TruthOf:
    """A method's name, the word `study`, or a folder laid out `<case id>/truth.nrrd`, in this order of preference.

    `run` is a map that may work on several cases at once; `failures` says what to do about unusable cases.
    """
    if name == OWN_TRUTH:
        if all(case.truth_source is None for case in study.cases):
            raise UserError(
                f"The study {study.name} names no truth",
                remedy="give --truth majority, or call the expert's files truth and import again",
            )
        return _own_truth
    if name in METHODS:
        return _FusedTruth(StudyFuser.prepare(study, FusionPlan(name), run=run, report=report, failures=failures))
    folder = Path(name)
    if not folder.is_dir():
        raise UserError(
            f"{name!r} is neither a folder of truths nor a fusion method",
            remedy=f"give a folder laid out <case id>/{TRUTH}, one of {', '.join(METHODS)}, "
            "or 'study' for the truth that the study names",
        )
    classes = len(study.classes)
    if not any(_stored(folder, classes, case).exists for case in study.cases):
        raise UserError(
            "has no truth for any case of the study",
            file=folder,
            remedy=folder_advice(folder, study),
        )
    return partial(_stored_truth, folder, classes, stored_fuser(folder, study, run, report, failures))


def _own_truth(case: Case) -> Truth | None:
    labels = case.truth()
    return None if labels is None else Truth(labels)


class _FusedTruth:
    """Fuses each case when it is asked for, exactly as `noisylabelseg fuse` does."""

    def __init__(self, fuser: StudyFuser) -> None:
        self._fuser = fuser

    def __call__(self, case: Case) -> Truth | None:
        if not case.annotations:
            return None
        votes = self._fuser.votes(case)
        fusion = self._fuser.fuse(votes)
        fused_from = FusedFrom.of(votes, self._fuser.leave_one_out(votes))
        if self._fuser.plan.method not in LOCAL_METHODS:
            return Truth(fusion.labels, fused_from=fused_from)

        def confusion(annotator: str) -> NDArray[Any] | None:
            known = annotator in case.annotations
            return fusion.confusion_field(votes.names.index(annotator)) if known else None

        return Truth(fusion.labels, fusion.probabilities, confusion, fused_from)


def _stored(folder: Path, classes: int, case: Case) -> StoredEstimate:
    return StoredEstimate(folder / case.id, case, classes, remedy="make the truth anew from this study")


def _stored_truth(folder: Path, classes: int, fuser: StudyFuser | None, case: Case) -> Truth | None:
    estimate = _stored(folder, classes, case)
    if not estimate.exists:
        return None
    origin = None if fuser is None else fuser.origin(case)
    return Truth(estimate.truth(), estimate.probabilities(), estimate.confusion, origin)
