"""What a layout of files was found to hold, and the words in file names that say what a file is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from NoisyLabelSegLib.cases.file_kinds import looks_like_an_image, plain_stem
from NoisyLabelSegLib.errors import UserError

IMAGE_NAME = re.compile(
    r"(image|img|scan|volume|ct|mri?|flair|t1(ce|c|gd|w|n)?|t2(w|f)?|pd|dwi|adc)([-_. ]?\d*)?", re.IGNORECASE
)
CHANNEL = re.compile(r"(?P<case>.+)_(?P<channel>\d{4})")
READER_NAME = re.compile(
    r"(reader|rater|annotator|expert|observer|radiologist|doctor|rad|obs|ann|r)[-_ ]?\w{0,3}", re.IGNORECASE
)
CASE_NAME = re.compile(r"(case|patient|pat|subject|sub|scan|study|slice|nodule|volume|p|s)[-_ ]?\d+.*", re.IGNORECASE)
MASK_WORDS = frozenset(("mask", "masks", "seg", "segmentation", "label", "labels", "annotation", "contour"))
IMAGE_FOLDERS = ("images", "imagestr", "image", "img", "imgs")
LABEL_FOLDERS = ("masks", "labels", "labelstr", "annotations", "segmentations", "annotators", "readers", "raters")
TRUTH = ("truth", "gt", "ground_truth", "groundtruth", "ground-truth", "reference")
_REPEAT = re.compile(r"(?P<annotator>.+)_repeat\d*", re.IGNORECASE)


@dataclass
class FoundCase:
    """The files of one case; labels called `truth` (or another word of TRUTH) are its reference."""

    id: str
    images: list[Path] = field(default_factory=list)
    annotations: dict[str, Path] = field(default_factory=dict)
    truth: Path | None = None
    split: str | None = None
    patient: str | None = None
    dates: dict[str, str] = field(default_factory=dict)

    def add_labels(self, annotator: str, file: Path) -> None:
        if annotator.lower() in TRUTH:
            self._require_free(self.truth, annotator, file)
            self.truth = file
        else:
            self._require_free(self.annotations.get(annotator), annotator, file)
            self.annotations[annotator] = file

    def _require_free(self, other: Path | None, annotator: str, file: Path) -> None:
        if other is not None and other != file:
            remedy = "keep one of them, or say with --layout how the files are named"
            raise UserError(f"and {other.name} are both labels of {annotator}", file=file, remedy=remedy)

    def labels(self) -> Iterator[tuple[str, Path]]:
        """Reader and file of all labels, the reference last, as `truth`."""
        yield from self.annotations.items()
        if self.truth is not None:
            yield "truth", self.truth

    def readings(self) -> tuple[dict[str, Path], dict[str, tuple[Path, ...]]]:
        """The labels by annotator, and the repeated readings (`anna_repeat`, `anna_repeat2`) of those who have some."""
        annotations: dict[str, Path] = {}
        repeats: dict[str, tuple[Path, ...]] = {}
        for name in sorted(self.annotations, key=natural):
            match = _REPEAT.fullmatch(name)
            if match and match["annotator"] in self.annotations:
                repeats[match["annotator"]] = (*repeats.get(match["annotator"], ()), self.annotations[name])
            else:
                annotations[name] = self.annotations[name]
        return annotations, repeats


@dataclass
class Found:
    """Cases in one layout, and in words why: `reason` follows "because", `readers_from` follows "from"."""

    layout: str
    reason: str
    readers_from: str = "the names of the files"
    cases: list[FoundCase] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    name: str | None = None
    classes: tuple[str, ...] | None = None
    classes_from: str = ""
    left_out: set[Path] = field(default_factory=set)

    @property
    def has_labels(self) -> bool:
        return any(case.annotations for case in self.cases)

    def files(self) -> set[Path]:
        """The files that belong to cases, and those that are left out with a remark."""
        return self.left_out | {
            file for case in self.cases for file in (*case.images, *(path for _, path in case.labels()))
        }


def reader_of(stem: str) -> str:
    """A file's name without the words that only say that it is a mask: `anna_mask` is the mask of anna."""
    words = [word for word in re.split(r"[_ .]+", stem) if word.lower() not in MASK_WORDS]
    return "_".join(words) if words and len(words) < len(re.split(r"[_ .]+", stem)) else stem


def folders_below(source: Path) -> Iterator[Path]:
    """The folder and all below it, in natural order."""
    yield source
    for child in subfolders(source):
        yield from folders_below(child)


def image_files(folder: Path) -> list[Path]:
    """The files of a folder that are images or labels, in natural order."""
    return [path for path in _children(folder) if path.is_file() and looks_like_an_image(path)]


def subfolders(folder: Path) -> list[Path]:
    return [path for path in _children(folder) if path.is_dir()]


def _children(folder: Path) -> list[Path]:
    try:
        visible = [path for path in folder.iterdir() if not path.name.startswith(".")]
    except OSError as error:
        raise UserError(
            f"cannot be opened ({error.strerror})", file=folder, remedy="check the folder's permissions"
        ) from error
    return sorted(visible, key=lambda path: natural(plain_stem(path)))


def natural(text: str) -> list[tuple[int, str]]:
    """Sorts reader2 before reader10."""
    return [(int(part), "") if part.isdigit() else (-1, part.lower()) for part in re.split(r"(\d+)", text) if part]
