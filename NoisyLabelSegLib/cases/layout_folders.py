"""Layouts by folder: one folder per case, one folder per annotator, and labels alone in either.

One folder per case:       <case>/image*.nrrd and <case>/<annotator>.nrrd
One folder per annotator:  images/<case>.png and <annotator>/<case>.png, or masks/<annotator>/<case>.png

Either may lie at any depth; the folders on the way become part of the case's id.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from NoisyLabelSegLib.cases.file_kinds import plain_stem
from NoisyLabelSegLib.cases.found_cases import (
    CASE_NAME,
    CHANNEL,
    IMAGE_FOLDERS,
    IMAGE_NAME,
    LABEL_FOLDERS,
    MASK_WORDS,
    READER_NAME,
    TRUTH,
    Found,
    FoundCase,
    folders_below,
    image_files,
    reader_of,
    subfolders,
)
from NoisyLabelSegLib.words import counted


def find_case_folders(source: Path) -> Found:
    """Folders that hold an image and one file of labels per annotator."""
    found = Found("one folder per case", "folders hold an image beside other files")
    for folder in _own_folders(source):
        if _image_folder(folder) is None:
            case = FoundCase(_id(folder, source), _named_as_images(folder))
            for file in image_files(folder):
                if file not in case.images:
                    case.add_labels(reader_of(plain_stem(file)), file)
            found.cases.append(case)
    return found


def find_annotator_folders(source: Path) -> Found:
    """Folders of images beside one folder of labels per annotator."""
    found = Found("one folder per annotator", "a folder of images lies beside folders of labels")
    found.readers_from = "the names of the folders or files of labels"
    for folder in _own_folders(source):
        images = _image_folder(folder)
        if images is not None:
            prefix = "_".join(folder.relative_to(source).parts)
            _add_annotator_folders(folder, images, prefix, found)
    return found


def find_labels_alone(source: Path) -> Found:
    """Folders of labels without any image: <case>/<annotator> or <annotator>/<case>, whichever the names suggest."""
    places = {folder: files for folder in folders_below(source) if (files := image_files(folder))}
    stems = {reader_of(plain_stem(file)) for files in places.values() for file in files}
    per_reader, reason = _holds_readers({folder.name for folder in places if folder != source}, stems)
    kind = "annotator" if per_reader else "case"
    found = Found(f"labels without images, one folder per {kind}", f"there is no image, and {reason}")
    found.readers_from = "the names of the folders" if per_reader else "the names of the files"
    cases: dict[str, FoundCase] = {}
    for folder, files in places.items():
        for file in files:
            if per_reader:
                id, reader = "_".join((*folder.relative_to(source).parts[:-1], plain_stem(file))), folder.name
            else:
                id, reader = _id(folder, source), reader_of(plain_stem(file))
            cases.setdefault(id, FoundCase(id)).add_labels(reader, file)
    found.cases = list(cases.values())
    return found


def _holds_readers(folders: set[str], stems: set[str]) -> tuple[bool, str]:
    """Whether the folders are annotators (and the files cases), and why."""
    if not folders:
        return False, "all labels lie in one folder"
    for names, what, per_reader in ((folders, "folders", True), (stems, "files", False)):
        rest = [name for name in names if name.lower() not in TRUTH]
        if rest and all(READER_NAME.fullmatch(name) for name in rest):
            return per_reader, f"the {what} are named like annotators"
    for names, what, per_reader in ((stems, "files", True), (folders, "folders", False)):
        if all(CASE_NAME.fullmatch(name) for name in names):
            return per_reader, f"the {what} are named like cases"
    if all(any(letter.isdigit() for letter in name) for name in stems) and not any(
        letter.isdigit() for name in folders for letter in name
    ):
        return True, "the files are numbered and the folders are not"
    return False, "the files of a folder are taken as its annotators"


def _own_folders(source: Path) -> Iterator[Path]:
    """The folders that are a case or hold an images folder; what lies below such a folder belongs to it."""
    if _image_folder(source) is not None or _named_as_images(source):
        yield source
        return
    for child in subfolders(source):
        yield from _own_folders(child)


def _add_annotator_folders(folder: Path, images: Path, prefix: str, found: Found) -> None:
    cases: dict[str, FoundCase] = {}
    for file in image_files(images):
        match = CHANNEL.fullmatch(plain_stem(file))
        name = match["case"] if match else plain_stem(file)
        cases.setdefault(name, FoundCase(f"{prefix}_{name}" if prefix else name)).images.append(file)
    for annotator in _annotator_folders(folder, images):
        strays = []
        for file in image_files(annotator):
            name = _case_of(plain_stem(file), cases)
            if name is None:
                strays.append(file)
            else:
                cases[name].add_labels(_reader(annotator, plain_stem(file)[len(name) :]), file)
        if strays:
            found.left_out.update(strays)
            without = counted(len(strays), "file matches", "files match")
            found.remarks.append(f"{annotator.name}: {without} no image: left out ({strays[0].name}).")
    found.cases += cases.values()


def _case_of(stem: str, cases: dict[str, FoundCase]) -> str | None:
    """The image of this name, or the longest name of an image that the stem begins with."""
    if stem in cases:
        return stem
    begins = [name for name in cases if stem.startswith(name) and stem[len(name)] in "_-. "]
    return max(begins, key=len, default=None)


def _reader(folder: Path, rest: str) -> str:
    """The annotator's name stands in the folder's, or, in a folder called `masks`, after the name of the image."""
    own = reader_of(rest.strip("_-. "))
    generic = folder.name.lower() in LABEL_FOLDERS
    return own if generic and own and own.lower() not in MASK_WORDS else folder.name


def _annotator_folders(folder: Path, images: Path) -> Iterator[Path]:
    for child in subfolders(folder):
        if child == images:
            continue
        if child.name.lower() in LABEL_FOLDERS and not image_files(child):
            yield from subfolders(child)
        else:
            yield child


def _image_folder(folder: Path) -> Path | None:
    children = [child for child in subfolders(folder) if child.name.lower() in IMAGE_FOLDERS]
    return children[0] if children else None


def _named_as_images(folder: Path) -> list[Path]:
    return [file for file in image_files(folder) if IMAGE_NAME.fullmatch(plain_stem(file))]


def _id(folder: Path, source: Path) -> str:
    return "_".join(folder.relative_to(source).parts) or folder.resolve().name
