"""Which label values and segments a file holds, read once before an import decides what they mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases.file_kinds import FileFormat, kind_of
from NoisyLabelSegLib.cases.files import read_label_values, read_labels
from NoisyLabelSegLib.cases.geometry import Image
from NoisyLabelSegLib.cases.segments import read_segments
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.progress import Report, silent, steps

MOST_GUESSED = 64  # label values above this are gray levels far more often than classes


@dataclass(frozen=True)
class LabelFile:
    """The labels of one reader on one case: the values above 0 that occur, and the segments where they have names."""

    case: str
    reader: str
    path: Path
    values: tuple[int, ...]
    segments: Mapping[str, int] | None = field(default=None, hash=False)
    overlap: bool = False

    @property
    def is_high_mask(self) -> bool:
        """Whether it has one value, and one that is no class: 255, 1000, 65535."""
        return len(self.values) == 1 and self.values[0] >= MOST_GUESSED


def read_label_file(case: str, reader: str, path: Path) -> LabelFile:
    """Reads a file to see what it holds; a segmentation of Slicer also names its segments."""
    kind = kind_of(path)
    if kind is FileFormat.SEGMENTATION:
        segmentation = read_segments(path, kind)
        segments = {segment.name: segment.value for segment in segmentation.segments}
        marked = [segment.value for segment in segmentation.segments if segmentation.mask(segment).any()]
        return LabelFile(case, reader, path, tuple(sorted(set(marked))), segments, segmentation.overlap)
    return LabelFile(case, reader, path, marked_values(read_label_values(path).array))


def marked_values(labels: NDArray[Any]) -> tuple[int, ...]:
    """The values above 0 that occur, in order."""
    if labels.size and labels.max() < 2**16:
        found = np.flatnonzero(np.bincount(labels.ravel().astype(np.uint16, copy=False)))
    else:
        found = np.unique(labels)
    return tuple(int(value) for value in found if value)


def read_mask(path: Path) -> Image:
    """A mask of 0 and any other value as 0 and 1."""
    image = read_label_values(path)
    return Image((image.array != 0).astype(np.uint8), image.geometry)


def count_classes(files: Sequence[Path], report: Report = silent) -> tuple[str, ...]:
    """Names for the classes 0 to the highest label in the files; masks of 0 and 255 count as 0 and 1."""
    found = [read_label_file("", str(file), file) for file in steps(files, "look at labels", report)]
    return class_names([(file, file.values if file.values != (255,) else (1,)) for file in found])


def class_names(marked: Sequence[tuple[LabelFile, Sequence[int]]]) -> tuple[str, ...]:
    """`foreground`, or `class 1` to the highest value; values that can hardly be classes are refused."""
    highest, highest_file = 1, None
    for file, values in marked:
        if values and max(values) > 255:
            read_labels(file.path)  # refuses it
        if values and max(values) > highest:
            highest, highest_file = max(values), file.path
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
