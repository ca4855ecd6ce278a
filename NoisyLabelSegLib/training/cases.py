"""Which cases are trained on, which are held out, and the grid that they are resampled to."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from NoisyLabelSegLib.cases import Case, Study
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.training.learners import load_learner
from NoisyLabelSegLib.training.settings import Settings
from NoisyLabelSegLib.words import counted

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
        remarks.append(f"{counted(left_out, 'case has', 'cases have')} no image or no labels to learn from: left out.")
    if settings.patience and not validate:
        if len(train) >= FEWEST_TO_HOLD_OUT:
            return _held_out(train, settings, tuple(remarks))
        remarks.append(f"With {counted(len(train), 'case')} none is held out, so training does not stop early.")
    return Split(train, validate, tuple(remarks))


def study_digest(study: Study) -> str:
    """Changes with the classes, annotators, cases or who labeled what; a resumed run must find the same."""
    cases = [
        [case.id, case.split, sorted(case.annotations), *(["curated"] if case.curated else [])] for case in study.cases
    ]
    content = json.dumps([study.classes, study.annotators, cases, *([study.experience] if study.experience else [])])
    return hashlib.sha256(content.encode()).hexdigest()


def _usable(study: Study, settings: Settings) -> tuple[Case, ...]:
    needs_labels = load_learner(settings.learner).needs_labels

    def usable(case: Case) -> bool:
        labeled = bool(case.annotations) or (case.curated and settings.curated > 0)
        return bool(case.images) and (labeled if needs_labels else case.truth_source is not None)

    return tuple(case for case in study.cases if usable(case))


def _held_out(cases: tuple[Case, ...], settings: Settings, remarks: tuple[str, ...]) -> Split:
    order = np.random.default_rng(settings.seed).permutation(len(cases)).tolist()
    count = max(1, round(settings.validation * len(cases)))
    chosen = set(order[:count])
    return Split(
        tuple(case for index, case in enumerate(cases) if index not in chosen),
        tuple(case for index, case in enumerate(cases) if index in chosen),
        remarks,
    )


MOST_CASES, MOST_SLICES = 20, 16
"""Cases, and marked slices of each labelmap, that are looked at: enough to know how large things are."""

SHARE = 0.75
"""How much of a crop an outline may take: some of what lies around it should be seen, too."""

WORTH_IT = 1.25
"""A grid that is less than so many times as coarse is not worth the blur."""

Item = TypeVar("Item")


def fitted(settings: Settings, cases: Sequence[Case]) -> Settings:
    """The settings with a spacing (y, x of slices) at which half of what is outlined takes at most SHARE of the patch.

    They stay as they are where that holds already, where a spacing is given, where slices are no larger than the patch,
    and for networks of volumes. A network that sees a corner of an organ at a time cannot tell inside from outside.
    """
    if not (settings.coarsen and settings.patch and settings.dimensions == 2) or settings.spacing:
        return settings
    chosen = _evenly(cases, MOST_CASES)
    extents = [extent for case in chosen for extent in _extents(case, settings.axis)]
    cut = any(max(_in_plane(case.geometry.shape, settings.axis)) > settings.patch for case in chosen)
    if not (extents and cut):
        return settings
    own = np.median([_in_plane(case.geometry.spacing_zyx, settings.axis) for case in chosen], axis=0)
    wanted = float(np.median(extents)) / (SHARE * settings.patch)
    if wanted < WORTH_IT * own.min():
        return settings
    return dataclasses.replace(settings, spacing=tuple(round(float(edge), 3) for edge in np.maximum(own, wanted)))


def _extents(case: Case, axis: int) -> Iterator[float]:
    """The longest edge, in mm, of the largest outline in marked slices: of everybody's, or of the truth."""
    edges = np.asarray(_in_plane(case.geometry.spacing_zyx, axis))
    for labels in map(case.labels, case.annotations) if case.annotations else [case.truth()]:
        if labels is not None:
            planes = labels[None] if labels.ndim == 2 else np.moveaxis(labels, axis, 0)
            for plane in _evenly([plane for plane in planes if plane.any()], MOST_SLICES):
                yield float((_largest(plane > 0) * edges).max())


def _largest(marked: NDArray[np.bool_]) -> NDArray[Any]:
    """The height and width, in pixels, of the largest connected part."""
    parts, _ = ndimage.label(marked)
    number = int(np.bincount(parts.ravel())[1:].argmax())
    return np.array([edge.stop - edge.start for edge in ndimage.find_objects(parts)[number]])


def _evenly(items: Sequence[Item], most: int) -> list[Item]:
    """At most so many of the items, the first and the last among them."""
    places = np.unique(np.linspace(0, len(items) - 1, min(most, len(items))).round().astype(int))
    return [items[place] for place in places]


def _in_plane(values: Sequence[float], axis: int) -> list[float]:
    """Those of the two axes of a slice, from values in z, y, x or y, x."""
    return [value for place, value in enumerate(values) if len(values) == 2 or place != axis]
