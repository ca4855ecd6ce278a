"""The layout of nnU-Net and of the Medical Segmentation Decathlon: imagesTr, labelsTr and dataset.json."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from NoisyLabelSegLib.cases.file_kinds import plain_stem
from NoisyLabelSegLib.cases.found_cases import CHANNEL, Found, FoundCase, image_files, subfolders
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.json_checks import read_json
from NoisyLabelSegLib.words import counted

OWN_KEY = "noisylabelseg"
"""Key of dataset.json in which `export nnunet` keeps which case, reader and split each file belongs to."""

_SINGLE = "labels"


def find_nnunet(source: Path) -> Found | None:
    """The cases of imagesTr, and those of imagesTs that have labels, as the split `test`."""
    if not (source / "imagesTr").is_dir() and not (source / "imagesTs").is_dir():
        return None
    file = source / "dataset.json"
    content = read_json(file) if file.is_file() else {}
    if not isinstance(content, dict):
        raise UserError("is not a JSON object", file=file, remedy="correct it or remove it")
    decathlon = "modality" in content
    title = "Medical Segmentation Decathlon" if decathlon else "nnU-Net data set"
    reason = f"it holds imagesTr{' and dataset.json' if content else ''}"
    found = Found(title, reason, "the names of the folders")
    found.left_out = {file for folder in source.glob("soft*") for file in folder.iterdir()}
    if content:
        found.classes, found.classes_from = _classes(content, file), "dataset.json"
        found.name = content.get("name") if isinstance(content.get("name"), str) else None
    own = _own(content)
    if own:
        found.readers_from = "dataset.json"
    cases: dict[str, FoundCase] = {}
    for part in ("Tr", "Ts"):
        _add_part(source, part, own, cases, found)
    found.cases = list(cases.values())
    return found


def _add_part(
    source: Path, part: str, own: dict[str, dict[str, Any]], cases: dict[str, FoundCase], found: Found
) -> None:
    images: dict[str, list[Path]] = {}
    for file in image_files(source / f"images{part}") if (source / f"images{part}").is_dir() else []:
        match = CHANNEL.fullmatch(plain_stem(file))
        images.setdefault(match["case"] if match else plain_stem(file), []).append(file)
    readers = _reader_folders(source, part)
    without = 0
    for stem, files in images.items():
        labels = {reader: by_stem[stem] for reader, by_stem in readers.items() if stem in by_stem}
        if part == "Ts" and not labels:
            without += 1
            found.left_out.update(files)
            continue
        entry = own.get(stem, {})
        case = cases.setdefault(str(entry.get("case", stem)), FoundCase(str(entry.get("case", stem))))
        case.images = case.images or files
        case.split = entry.get("split") or ("test" if part == "Ts" else None)
        for reader, file in labels.items():
            case.add_labels(str(entry.get("reader", reader)) if reader == _SINGLE else reader, file)
    if without:
        found.remarks.append(f"imagesTs: {counted(without, 'image has', 'images have')} no labels: left out.")


def _reader_folders(source: Path, part: str) -> dict[str, dict[str, Path]]:
    """Reader to files by stem; labelsTr is the reference where labelsTr_anna or other folders hold labels as well."""
    readers: dict[str, Path] = {}
    for folder in subfolders(source):
        name = folder.name
        if name == f"labels{part}":
            readers[_SINGLE] = folder
        elif name.startswith(f"labels{part}"):
            readers[name[len(f"labels{part}") :].strip("_-. ")] = folder
        elif not name.startswith(("images", "labels", "soft")) and part == "Tr":
            readers[name] = folder
    files = {name: {plain_stem(file): file for file in image_files(folder)} for name, folder in readers.items()}
    files = {name: by_stem for name, by_stem in files.items() if by_stem}
    if _SINGLE in files and len(files) > 1:
        files["truth"] = files.pop(_SINGLE)
    return files


def _own(content: dict[str, Any]) -> dict[str, dict[str, Any]]:
    entries = content.get(OWN_KEY, {})
    return {name: entry for name, entry in entries.items() if isinstance(entry, dict)} if entries else {}


def _classes(content: dict[str, Any], file: Path) -> tuple[str, ...] | None:
    """Class names by number: nnU-Net writes {"name": number}, the Decathlon {"number": "name"}."""
    labels = content.get("labels")
    if not isinstance(labels, dict) or not labels:
        return None
    numbered: dict[int, str] = {}
    for key, value in labels.items():
        if isinstance(value, str) and key.isdecimal():
            numbered[int(key)] = value
        elif isinstance(value, int):
            numbered[value] = key
        else:  # regions of nnU-Net, such as "whole tumor": [1, 2, 3], are no classes
            return None
    if not 1 <= max(numbered) <= 255 or min(numbered) < 0:
        raise UserError(f"has the label {max(numbered)}", file=file, remedy="labels are whole numbers from 0 to 255")
    return tuple(numbered.get(number, f"class {number}") for number in range(max(numbered) + 1))
