"""Reads off label files how many classes a study has."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases.reading import read_labels
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.progress import Report, silent, steps

MOST_GUESSED = 64  # label values above this are grey levels far more often than classes


def count_classes(files: Sequence[Path], report: Report = silent) -> tuple[str, ...]:
    """Names for the classes 0 to the highest label in the files; masks of 0 and 255 count as 0 and 1."""
    highest, highest_file = 1, None
    for file in steps(files, "look at labels", report):
        labels = read_labels(file).array
        top = int(labels.max(initial=0))
        if top == 255 and is_mask_of_255(labels):
            top = 1
        if top > highest:
            highest, highest_file = top, file
    if highest >= MOST_GUESSED:
        raise UserError(
            f"has labels up to {highest}",
            file=highest_file,
            remedy="if these are classes, name them all with --classes; if they are gray levels, threshold first",
        )
    names = ("foreground",) if highest == 1 else tuple(f"class {number}" for number in range(1, highest + 1))
    return ("background", *names)


def is_mask_of_255(labels: NDArray[np.uint8]) -> bool:
    """Whether the array holds 0 and 255 only, and some 255: a mask as drawing programs save it."""
    return bool(labels.any()) and bool(((labels == 0) | (labels == 255)).all())
