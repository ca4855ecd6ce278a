"""What fuse is asked about: a study, or label files of one case, one annotator each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from NoisyLabelSegLib.cases import Annotation, Case, Image, Study, read_labels
from NoisyLabelSegLib.cases.import_names import distinct, usable_name
from NoisyLabelSegLib.cases.kinds import plain_stem
from NoisyLabelSegLib.cases.label_values import is_mask_of_255
from NoisyLabelSegLib.errors import UserError


def study_of(words: Sequence[str], say: Callable[[str], None]) -> Study:
    """One study file or folder, or label files: a study of one case named after the first file."""
    if is_study(words):
        return Study.read(words[0])
    return _study_of_files([Path(word) for word in words], say)


def is_study(words: Sequence[str]) -> bool:
    """Whether the words are one study, not label files."""
    return len(words) == 1 and (Path(words[0]).suffix.lower() == ".json" or Path(words[0]).is_dir())


def choose_annotators(study: Study, names: Sequence[str]) -> Study:
    """The study with only these annotators; all of them if no name is given."""
    for name in names:
        if name not in study.annotators:
            raise UserError(f"There is no annotator {name!r}", remedy=f"choose from {', '.join(study.annotators)}")
    return replace(study, annotators=tuple(name for name in study.annotators if name in names)) if names else study


def _study_of_files(paths: Sequence[Path], say: Callable[[str], None]) -> Study:
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
        if differences := images[0].geometry.differences(image.geometry):
            problem = f"is not on the grid of {paths[0].name}: {' and '.join(differences)}"
            raise UserError(problem, file=path, remedy="resample it first (noisylabelseg import folder --resample)")
    stems = [usable_name(plain_stem(path)) for path in paths]
    names = stems
    if len({stem.lower() for stem in stems}) < len(stems):  # as in reader1/mask.nrrd, reader2/mask.nrrd
        names = distinct(usable_name(f"{path.absolute().parent.name}_{plain_stem(path)}") for path in paths)
    annotations = {name: Annotation(image) for name, image in zip(names, images, strict=True)}
    classes = max(2, *(int(image.array.max()) + 1 for image in images))
    foreground = ["foreground"] if classes == 2 else [f"class {label}" for label in range(1, classes)]
    case = Case(stems[0], annotations=annotations, classes=classes)
    return Study(stems[0], ("background", *foreground), tuple(names), (case,))


def _without_255(images: list[Image], say: Callable[[str], None]) -> list[Image]:
    """Masks of 0 and 255 as 0 and 1, if all files that mark anything are such masks."""
    marked = [image for image in images if image.array.any()]
    if not marked or not all(is_mask_of_255(image.array) for image in marked):
        return images
    say("The files are masks of 0 and 255; 255 is taken as class 1.")
    return [Image(image.array // 255, image.geometry) for image in images]
