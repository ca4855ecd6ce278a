"""Data sets of ivadomed: labels are named after their image, as in `derivatives/labels/sub-01/anat/`.

`sub-01_T2w_lesion-manual-rater1.nii.gz` holds the lesions that rater1 marked in `sub-01_T2w.nii.gz`.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path

from NoisyLabelSegLib.cases.file_kinds import plain_stem
from NoisyLabelSegLib.cases.found_cases import MASK_WORDS, TRUTH, Found, FoundCase, folders_below, image_files
from NoisyLabelSegLib.cases.layout_bids import add_description
from NoisyLabelSegLib.words import counted

_IMAGE = re.compile(r"(?P<patient>sub-[A-Za-z0-9]+)(?P<session>_ses-[A-Za-z0-9]+)?(_[a-z]+-[A-Za-z0-9]+)*_[A-Za-z0-9]+")
_NAME = re.compile(rf"(?P<image>{_IMAGE.pattern})_(?P<words>[A-Za-z0-9]+([-_][A-Za-z0-9]+)*)")
_READER = re.compile(r"(reader|rater|annotator|expert|observer|radiologist)\w*", re.IGNORECASE)
_MANUAL = "manual"
_NO_STRUCTURE = MASK_WORDS | {"desc"}


@dataclass(frozen=True)
class _Labels:
    """A file of labels, the name of its image, and what was marked by whom; "" where the names do not say."""

    path: Path
    image: str
    patient: str
    visit: str
    structure: str
    reader: str


def find_ivadomed(source: Path) -> Found | None:
    """One case per labeled image and structure; None where no labels are named after an image of BIDS."""
    images = {plain_stem(file): file for folder in folders_below(source) for file in image_files(folder)}
    labels = list(_labels_below(source, images))
    if not labels:
        return None
    found = Found(
        "BIDS with derivatives named after their image, as for ivadomed",
        f"files are named like {labels[0].path.name}",
        "the last words of the names, or the folder below derivatives",
    )
    structures = sorted({entry.structure for entry in labels})
    several = {visit for visit in (entry.visit for entry in labels) if _images_of(visit, labels) > 1}
    cases: dict[str, FoundCase] = {}
    for entry in labels:
        id = entry.image if entry.visit in several else entry.visit
        id = f"{id}_{entry.structure}" if len(structures) > 1 and entry.structure else id
        case = cases.setdefault(id, FoundCase(id))
        case.add_labels("truth" if entry.reader.lower() in TRUTH else entry.reader, entry.path)
        case.images = [images[entry.image]] if entry.image in images else []
        case.patient = entry.patient if id != entry.patient else None
    found.cases = list(cases.values())
    named = [name for name in structures if name]
    if len(structures) > 1:
        found.remarks.append(f"Each structure became cases of its own: {', '.join(named)}.")
    add_description(source, found, [])
    if found.classes is None and len(structures) == 1 and named:
        found.classes, found.classes_from = ("background", structures[0]), "the names of the labels"
    others = [file for stem, file in images.items() if _IMAGE.fullmatch(stem) and file not in found.files()]
    if others:
        found.left_out.update(others)
        without = counted(len(others), "image has", "images have")
        found.remarks.append(f"{without} no labels: left out (such as {others[0].name}); --layout adds channels.")
    return found


def _images_of(visit: str, labels: list[_Labels]) -> int:
    return len({entry.image for entry in labels if entry.visit == visit})


def _labels_below(source: Path, images: Container[str]) -> Iterator[_Labels]:
    """Below `derivatives` their images may be missing."""
    for folder in folders_below(source):
        for path in image_files(folder):
            match = _NAME.fullmatch(plain_stem(path))
            parts = path.relative_to(source.parent).parts
            if match is None:
                continue
            words = re.split(r"[-_]", match["words"])
            marked = {_MANUAL, *MASK_WORDS} & set(words) or any(map(_READER.fullmatch, words))
            if "derivatives" in parts or (marked and match["image"] in images):
                structure, reader = _structure_and_reader(words)
                yield _Labels(
                    path,
                    match["image"],
                    match["patient"],
                    match["patient"] + (match["session"] or ""),
                    structure,
                    reader or _reader_of_folder(parts),
                )


def _structure_and_reader(words: list[str]) -> tuple[str, str]:
    """What stands before and after the word `manual`, or before and from a word such as `rater1`."""
    lower = [word.lower() for word in words]
    if _MANUAL in lower:
        place = lower.index(_MANUAL)
        before, after = words[:place], words[place + 1 :]
    else:
        place = next((place for place, word in enumerate(words) if _READER.fullmatch(word)), len(words))
        before, after = words[:place], words[place:]
    return (
        "_".join(word for word in before if word.lower() not in _NO_STRUCTURE),
        "".join(word for word in after if word.lower() not in _NO_STRUCTURE),
    )


def _reader_of_folder(parts: tuple[str, ...]) -> str:
    """`rater1` of derivatives/labels_rater1; `labels` where the folder names nobody."""
    folder = parts[parts.index("derivatives") + 1] if "derivatives" in parts[:-2] else ""
    words = [word for word in re.split(r"[-_ ]+", folder) if word.lower() not in MASK_WORDS]
    return "_".join(words) if words and not folder.startswith("sub-") else "labels"
