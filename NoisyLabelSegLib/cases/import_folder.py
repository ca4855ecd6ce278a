"""Turns the folder layouts people have into an import plan.

One folder per case:       <case>/image*.nrrd and <case>/<annotator>.nrrd
One folder per annotator:  images/<case>.png and <annotator>/<case>.png, or masks/<annotator>/<case>.png

Either may lie at any depth; the folders on the way become part of the case's id. Channels are image files of one case
folder, or images/<case>_0000, _0001 ... as nnU-Net names them. A folder or file called `truth` is the truth; one called
<annotator>_repeat, or <annotator>_repeat2 ..., holds later readings by an annotator who labeled the case.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from NoisyLabelSegLib.cases.file_kinds import looks_like_an_image, plain_stem
from NoisyLabelSegLib.cases.import_plan import ImportPlan, PlannedCase, count_classes
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.progress import Report, silent

_IMAGE_NAME = re.compile(
    r"(image|img|scan|volume|ct|mri?|flair|t1(ce|c|gd)?|t2|pd|dwi|adc)([-_. ]?\d*)?", re.IGNORECASE
)
_IMAGE_FOLDERS = ("images", "imagestr", "image", "img", "imgs")
_LABEL_FOLDERS = ("masks", "labels", "annotations", "segmentations", "annotators")
_TRUTH = ("truth", "gt", "ground_truth", "groundtruth", "ground-truth")
_REPEAT = re.compile(r"(?P<annotator>.+)_repeat\d*", re.IGNORECASE)
_CHANNEL = re.compile(r"(?P<case>.+)_(?P<channel>\d{4})")


def plan_folder(source: str | Path, *, classes: Sequence[str] | None = None, report: Report = silent) -> ImportPlan:
    """What the folder holds, as a plan. Without `classes` their number is read off the labels."""
    source = Path(source)
    if not source.is_dir():
        raise UserError("is not a folder", file=source, remedy="give the folder that holds the images and labels")
    found = _Found()
    for folder in _folders(source):
        _look_into(folder, "_".join(folder.relative_to(source).parts), found)
    if not any(case.annotations for case in found.cases):
        raise UserError(
            "holds no image with labels in a layout that is understood",
            file=source,
            remedy="arrange it as <case>/image.nrrd and <case>/<annotator>.nrrd, or images/ and masks/<annotator>/",
        )
    planned = tuple(case.planned() for case in sorted(found.cases, key=lambda case: _natural(case.id)))
    names = sorted({name for case in planned for name in case.annotations}, key=_natural)
    if classes is None:
        files = [file for case in found.cases for file in case.label_files()]
        classes = count_classes(files, report)
    return ImportPlan(
        name=source.resolve().name,
        classes=tuple(classes),
        annotators=tuple(names),
        cases=planned,
        remarks=found.remarks,
    )


@dataclass
class _FoundCase:
    id: str
    images: list[Path] = field(default_factory=list)
    annotations: dict[str, Path] = field(default_factory=dict)
    truth: Path | None = None

    def add_labels(self, annotator: str, file: Path) -> None:
        if annotator.lower() in _TRUTH:
            self.truth = file
        elif annotator in self.annotations:
            other = self.annotations[annotator].name
            raise UserError(f"and {other} are both labels of {annotator}", file=file, remedy="keep one of them")
        else:
            self.annotations[annotator] = file

    def label_files(self) -> list[Path]:
        return [*self.annotations.values(), *([] if self.truth is None else [self.truth])]

    def planned(self) -> PlannedCase:
        annotations: dict[str, Path] = {}
        repeats: dict[str, tuple[Path, ...]] = {}
        for name in sorted(self.annotations, key=_natural):
            match = _REPEAT.fullmatch(name)
            if match and match["annotator"] in self.annotations:
                repeats[match["annotator"]] = (*repeats.get(match["annotator"], ()), self.annotations[name])
            else:
                annotations[name] = self.annotations[name]
        note = f"{sum(map(len, repeats.values()))} repeated readings" if repeats else ""
        note = note if annotations else "no labels"
        return PlannedCase(self.id, tuple(self.images), annotations, self.truth, note, repeats)


@dataclass
class _Found:
    cases: list[_FoundCase] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def _folders(source: Path) -> Iterator[Path]:
    """The folders that are a case or hold an images folder; what lies below such a folder belongs to it."""
    if _image_folder(source) is not None or _image_files(source):
        yield source
        return
    for child in _subfolders(source):
        yield from _folders(child)


def _look_into(folder: Path, prefix: str, found: _Found) -> None:
    images = _image_folder(folder)
    if images is not None:
        _folder_per_annotator(folder, images, prefix, found)
    else:
        found.cases.append(_folder_per_case(folder, prefix or folder.resolve().name))


def _folder_per_case(folder: Path, id: str) -> _FoundCase:
    case = _FoundCase(id, _image_files(folder))
    for file in _files(folder):
        if file not in case.images:
            case.add_labels(plain_stem(file), file)
    return case


def _folder_per_annotator(folder: Path, images: Path, prefix: str, found: _Found) -> None:
    cases: dict[str, _FoundCase] = {}
    for file in _files(images):
        match = _CHANNEL.fullmatch(plain_stem(file))
        name = match["case"] if match else plain_stem(file)
        case = cases.setdefault(name, _FoundCase(f"{prefix}_{name}" if prefix else name))
        case.images.append(file)
    for annotator in _annotator_folders(folder, images):
        strays = []
        for file in _files(annotator):
            if plain_stem(file) in cases:
                cases[plain_stem(file)].add_labels(annotator.name, file)
            else:
                strays.append(file.name)
        if strays:
            found.remarks.append(
                f"{annotator.name}: {len(strays)} files match no image and are left out ({strays[0]})."
            )
    found.cases += cases.values()


def _annotator_folders(folder: Path, images: Path) -> Iterator[Path]:
    for child in _subfolders(folder):
        if child == images:
            continue
        if child.name.lower() in _LABEL_FOLDERS and not _files(child):
            yield from _subfolders(child)
        else:
            yield child


def _image_folder(folder: Path) -> Path | None:
    children = [child for child in _subfolders(folder) if child.name.lower() in _IMAGE_FOLDERS]
    return children[0] if children else None


def _image_files(folder: Path) -> list[Path]:
    return [file for file in _files(folder) if _IMAGE_NAME.fullmatch(plain_stem(file))]


def _files(folder: Path) -> list[Path]:
    return [path for path in _children(folder) if path.is_file() and looks_like_an_image(path)]


def _subfolders(folder: Path) -> list[Path]:
    return [path for path in _children(folder) if path.is_dir()]


def _children(folder: Path) -> list[Path]:
    try:
        visible = [path for path in folder.iterdir() if not path.name.startswith(".")]
    except OSError as error:
        raise UserError(
            f"cannot be opened ({error.strerror})", file=folder, remedy="check the folder's permissions"
        ) from error
    return sorted(visible, key=lambda path: _natural(plain_stem(path)))


def _natural(text: str) -> list[tuple[int, str]]:
    """Sorts reader2 before reader10."""
    return [(int(part), "") if part.isdigit() else (-1, part.lower()) for part in re.split(r"(\d+)", text) if part]
