"""Layouts by file name: `sub-01_ct.nii.gz` beside `sub-01_reader1_mask.nii.gz`, in one folder or in many."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from NoisyLabelSegLib.cases.file_kinds import plain_stem
from NoisyLabelSegLib.cases.found_cases import (
    IMAGE_NAME,
    MASK_WORDS,
    READER_NAME,
    TRUTH,
    Found,
    FoundCase,
    folders_below,
    image_files,
)

Words = tuple[str, ...]


def find_names(source: Path) -> Found:
    """Cases by what the names of the files of each folder have in common."""
    found = Found("case and annotator in the names of the files", "the names of the files tell labels from images")
    for folder in folders_below(source):
        group = _Group([_Named.of(file) for file in image_files(folder)])
        prefix = "_".join(folder.relative_to(source).parts)
        for words, case in group.cases().items():
            name = "_".join(words) or folder.resolve().name
            case.id = name if not prefix or name.startswith(prefix) or not words else f"{prefix}_{name}"
            found.cases.append(case)
    return found


@dataclass(frozen=True)
class _Named:
    """A file and the words of its name; `what` is `image`, `labels` or unknown (empty)."""

    file: Path
    words: Words
    what: str

    @classmethod
    def of(cls, file: Path) -> _Named:
        stem = plain_stem(file)
        words = tuple(word for word in re.split(r"[_ .]+", stem) if word)
        if len(words) == 1:
            words = tuple(word for word in re.split(r"-+", stem) if word)
        lower = {word.lower() for word in words}
        if file.name.lower().endswith((".seg.nrrd", ".seg.nhdr")) or lower & MASK_WORDS or lower & set(TRUTH):
            return cls(file, tuple(word for word in words if word.lower() not in MASK_WORDS), "labels")
        channel = len(words) > 1 and re.fullmatch(r"\d{4}", words[-1]) is not None
        before = words[:-1] if channel else words
        if before and IMAGE_NAME.fullmatch(before[-1]):
            return cls(file, before[:-1], "image")
        return cls(file, before, "image") if channel and words[-1] < "0010" else cls(file, words, "")


class _Group:
    """The files of one folder."""

    def __init__(self, files: list[_Named]) -> None:
        self._files = files
        self._images = {file.words for file in files if file.what == "image"}
        labels = [file for file in files if file.what == "labels"]
        unknown = [file for file in files if not file.what and self._image_of(file.words) is None]
        bare = [file for file in unknown if any(_holds(other.words, file.words) for other in files if other != file)]
        if not self._images and not bare and len(unknown) == 1 and labels:
            bare = unknown  # one scan of any name beside segmentations
        self._images |= {file.words for file in bare}
        self._bare = bare

    def cases(self) -> dict[Words, FoundCase]:
        """By the words of the case's name; empty words stand for the folder."""
        made: dict[Words, FoundCase] = {}
        for file in self._files:
            if file.what == "image" or file in self._bare:
                made.setdefault(file.words, FoundCase("")).images.append(file.file)
                continue
            place = self._place(file)
            if place is not None:
                case, reader = place
                made.setdefault(case, FoundCase("")).add_labels("_".join(reader) or "mask", file.file)
        return made

    def _place(self, file: _Named) -> tuple[Words, Words] | None:
        """The case and the annotator of labels."""
        image = self._image_of(file.words)
        if image is not None:
            begins = file.words[: len(image)] == image
            return image, file.words[len(image) :] if begins else file.words[: -len(image)]
        if len(self._images) == 1 and file.what == "labels":
            return next(iter(self._images)), file.words
        return None if self._images else _split(file.words)

    def _image_of(self, words: Words) -> Words | None:
        """The longest name of an image that the words begin with, or else end with."""
        begins = [name for name in self._images if words[: len(name)] == name]
        ends = [name for name in self._images if name and words[-len(name) :] == name]
        return max(begins or ends, key=len, default=None)


def _holds(words: Words, part: Words) -> bool:
    """Whether the words are more than the part, and begin or end with it."""
    return len(words) > len(part) > 0 and part in (words[: len(part)], words[-len(part) :])


def _split(words: Words) -> tuple[Words, Words] | None:
    """Case and annotator of labels without an image: a word such as `reader1` is the annotator, else the last word."""
    if len(words) < 2:
        return None
    places = [place for place, word in enumerate(words) if READER_NAME.fullmatch(word) or word.lower() in TRUTH]
    place = places[-1] if places else len(words) - 1
    reader = words[place]
    if not any(letter.isalpha() for letter in reader):
        return None
    return (*words[:place], *words[place + 1 :]), (reader,)
