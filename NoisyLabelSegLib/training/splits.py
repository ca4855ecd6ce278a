"""Which cases are learned from and which are held out."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

import numpy as np

from NoisyLabelSegLib.cases import Case, Study
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.training.settings import Settings

FEWEST_TO_HOLD_OUT = 10


@dataclass(frozen=True)
class Split:
    """Cases to learn from, cases whose noisy labels only tell when to stop, and sentences about the choice."""

    train: tuple[Case, ...]
    validate: tuple[Case, ...]
    remarks: tuple[str, ...] = ()


def split_cases(study: Study, settings: Settings) -> Split:
    """The splits `train` and `validate`; all cases where none is named, a share held out only to stop early."""
    study.require_files()
    train = _usable(study.split("train"), settings)
    named = any(case.split for case in study.cases)
    validate = _usable(study.split("validate"), settings) if named else ()
    if not train:
        where = "of split train " if named else ""
        raise UserError(f"The study {study.name} has no case {where}with an image and labels to learn from")
    remarks = []
    left_out = len(study.split("train").cases) - len(train)
    if left_out:
        remarks.append(f"{left_out} cases have no image or no labels to learn from and are left out.")
    if settings.patience and not validate:
        if len(train) >= FEWEST_TO_HOLD_OUT:
            return _held_out(train, settings, tuple(remarks))
        remarks.append(f"With {len(train)} cases none is held out, so training does not stop early.")
    return Split(train, validate, tuple(remarks))


def study_digest(study: Study) -> str:
    """Changes with the classes, annotators, cases or who labelled what; a resumed run must find the same."""
    cases = [[case.id, case.split, sorted(case.annotations)] for case in study.cases]
    content = json.dumps([study.classes, study.annotators, cases])
    return hashlib.sha256(content.encode()).hexdigest()


def _usable(study: Study, settings: Settings) -> tuple[Case, ...]:
    learns_from_truth = settings.target == "truth"
    return tuple(
        case for case in study.cases if case.images and (case.truth_source if learns_from_truth else case.annotations)
    )


def _held_out(cases: tuple[Case, ...], settings: Settings, remarks: tuple[str, ...]) -> Split:
    order = np.random.default_rng(settings.seed).permutation(len(cases)).tolist()
    count = max(1, round(settings.validation * len(cases)))
    chosen = set(order[:count])
    return Split(
        tuple(case for index, case in enumerate(cases) if index not in chosen),
        tuple(case for index, case in enumerate(cases) if index in chosen),
        remarks,
    )
