"""What the verbs are given: a study, one case's label files, or images."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases.case import Annotation, Case
from NoisyLabelSegLib.cases.dicom_series import is_dicom
from NoisyLabelSegLib.cases.file_kinds import plain_stem
from NoisyLabelSegLib.cases.files import read_labels
from NoisyLabelSegLib.cases.geometry import Image
from NoisyLabelSegLib.cases.import_plan import distinct, usable_name
from NoisyLabelSegLib.cases.label_findings import Marked
from NoisyLabelSegLib.cases.label_matches import LabelMatch, match_sentence, merge_labels, proposed_matches
from NoisyLabelSegLib.cases.label_values import is_mask_of_255, marked_values
from NoisyLabelSegLib.cases.study import Study
from NoisyLabelSegLib.cases.study_rules import name_problem
from NoisyLabelSegLib.errors import UserError


def study_of(words: Sequence[str], say: Callable[[str], None], relabel: Sequence[str] = ()) -> Study:
    """One study file or folder, or label files: a study of one case named after the first file.

    `relabel` says which labels of the files mean the same class, as in `anna:7=1`.
    """
    if is_study(words):
        if relabel:
            raise UserError("A study has its classes already", remedy="give --relabel to noisylabelseg import instead")
        return Study.read(words[0])
    return _study_of_files([Path(word) for word in words], say, [LabelMatch.parse(text) for text in relabel])


def is_study(words: Sequence[str]) -> bool:
    """Whether the words are one study, not label files."""
    return len(words) == 1 and (Path(words[0]).suffix.lower() == ".json" or Path(words[0]).is_dir())


def choose_annotators(study: Study, names: Sequence[str]) -> Study:
    """The study with only these annotators; all of them if no name is given."""
    for name in names:
        if name not in study.annotators:
            raise UserError(f"There is no annotator {name!r}", remedy=f"choose from {', '.join(study.annotators)}")
    return replace(study, annotators=tuple(name for name in study.annotators if name in names)) if names else study


def cases_of(words: Sequence[str], split: str | None = None) -> list[Case]:
    """One study (its cases of `split`, all if None), or images: each a case, channels of one case joined by commas."""
    if len(words) == 1 and holds_study(Path(words[0])):
        return _study_cases(Path(words[0]), split)
    if split is not None:
        raise UserError("--split chooses cases of a study, but loose images were given", remedy="leave it out")
    cases = [_loose(word) for word in words]
    repeated = [id for id, count in Counter(case.id.lower() for case in cases).items() if count > 1]
    if repeated:
        raise UserError(f"Two images are named {repeated[0]!r}", remedy="predict them into different folders")
    return cases


def _study_of_files(paths: Sequence[Path], say: Callable[[str], None], matches: Sequence[LabelMatch]) -> Study:
    for path in paths:
        if path.is_dir():
            raise UserError(
                "is a folder",
                file=path,
                remedy="fuse takes one study, or the label files of one case "
                "(noisylabelseg import folder makes a study of folders)",
            )
    images = _without_255([read_labels(path) for path in paths], say)
    for path, image in zip(paths, images, strict=True):
        remedy = "resample it first (noisylabelseg import folder --resample)"
        images[0].geometry.require_same(image.geometry, paths[0].name, file=path, remedy=remedy)
    stems = [usable_name(plain_stem(path)) for path in paths]
    names = stems
    if len({stem.lower() for stem in stems}) < len(stems):  # as in reader1/mask.nrrd, reader2/mask.nrrd
        names = distinct(usable_name(f"{path.absolute().parent.name}_{plain_stem(path)}") for path in paths)
    labels, classes = _matched(dict(zip(names, [image.array for image in images], strict=True)), matches, say)
    annotations = {name: Annotation(Image(array, images[0].geometry)) for name, array in labels.items()}
    case = Case(stems[0], annotations=annotations, classes=len(classes))
    return Study(stems[0], classes, tuple(names), (case,))


def _matched(
    labels: Mapping[str, NDArray[np.uint8]], matches: Sequence[LabelMatch], say: Callable[[str], None]
) -> tuple[dict[str, NDArray[np.uint8]], tuple[str, ...]]:
    """The labels with matched values as one class, and the classes; asks about values that may mean the same."""
    for match in matches:
        if match.reader and match.reader not in labels:
            raise UserError(f"There is no annotator {match.reader!r}", remedy=f"choose from {', '.join(labels)}")
    count = max(2, *(int(array.max()) + 1 for array in labels.values()))
    foreground = ["foreground"] if count == 2 else [f"class {label}" for label in range(1, count)]
    merged, classes = merge_labels(labels, ("background", *foreground), matches)
    marked = [Marked("", name, marked_values(array)) for name, array in merged.items()]
    if proposals := proposed_matches(marked, classes):
        sentences = "; ".join(match_sentence(match, classes) for match in proposals)
        words = " ".join(map(str, proposals))
        say(f"{sentences}. If they mean the same, fuse again with --relabel {words}; they are kept apart now.")
    return merged, classes


def _without_255(images: list[Image], say: Callable[[str], None]) -> list[Image]:
    """Masks of 0 and 255 as 0 and 1, if all files that mark anything are such masks."""
    marked = [image for image in images if image.array.any()]
    if not marked or not all(is_mask_of_255(image.array) for image in marked):
        return images
    say("The files are masks of 0 and 255; 255 is taken as class 1.")
    return [Image(image.array // 255, image.geometry) for image in images]


def holds_study(path: Path) -> bool:
    """Whether the path is a study file or a folder with one, neither an image nor a DICOM series."""
    return path.suffix.lower() == ".json" or (path / "study.json").is_file()


def _study_cases(path: Path, split: str | None) -> list[Case]:
    study = Study.read(path)
    study.require_files()
    return list(study.only_split(split).cases if split else study.cases)


def _loose(word: str) -> Case:
    paths = tuple(Path(part) for part in word.split(",") if part)
    for path in paths:
        if not path.exists():
            raise UserError("does not exist", file=path, remedy="give a study.json, its folder, or images")
        if path.is_dir() and not any(is_dicom(file) for file in path.rglob("*") if file.is_file()):
            raise UserError(
                "holds neither a study.json nor DICOM images",
                file=path,
                remedy="give a study, image files or a DICOM series",
            )
    id = plain_stem(paths[0]) if paths else ""
    if problem := name_problem(id):
        raise UserError(f"The image {word!r} cannot name a case: its name {problem}", remedy="rename it")
    return Case(id, images=paths)
