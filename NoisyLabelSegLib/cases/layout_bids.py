"""BIDS derivatives: `sub-01/anat/sub-01_desc-anna_dseg.nii.gz`, the images beside them or in the raw data set."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from NoisyLabelSegLib.cases.file_kinds import plain_stem
from NoisyLabelSegLib.cases.found_cases import TRUTH, Found, FoundCase, folders_below, image_files
from NoisyLabelSegLib.json_checks import read_json

_LABEL_SUFFIXES = ("dseg", "mask", "seg")
_READER_ENTITIES = ("rater", "reader", "annotator", "desc")
_NAME = re.compile(r"sub-[A-Za-z0-9]+(_[a-z]+-[A-Za-z0-9]+)*_[A-Za-z0-9]+", re.IGNORECASE)


@dataclass(frozen=True)
class _File:
    """A file with the entities of its name, such as {"sub": "01", "desc": "anna"}, its suffix and its sidecar."""

    path: Path
    entities: dict[str, str]
    suffix: str
    sidecar: dict[str, Any]

    @property
    def is_labels(self) -> bool:
        return self.suffix in _LABEL_SUFFIXES

    @property
    def case(self) -> str:
        named = self.sidecar.get("Case")
        return str(named) if named else "_".join(f"{key}-{self.entities[key]}" for key in self.key_entities)

    @property
    def key_entities(self) -> list[str]:
        return [key for key in ("sub", "ses") if key in self.entities]

    @property
    def key(self) -> tuple[str, ...]:
        return tuple(self.entities[key] for key in self.key_entities)

    @property
    def reader(self) -> str:
        """From the sidecar, else an entity, else the folder below `derivatives`, else the suffix."""
        if self.sidecar.get("Reader"):
            return str(self.sidecar["Reader"])
        for entity in _READER_ENTITIES:
            if entity in self.entities:
                name = self.entities[entity]
                return f"{entity}{name}" if name.isdecimal() else name
        parts = self.path.parts
        place = parts.index("derivatives") + 1 if "derivatives" in parts else len(parts)
        return parts[place] if place < len(parts) and not parts[place].startswith("sub-") else self.suffix


def find_bids(source: Path) -> Found | None:
    """One case per subject and session; None where no file is named as a BIDS segmentation."""
    files = list(_bids_files(source))
    labels = [file for file in files if file.is_labels]
    if not labels:
        return None
    found = Found(
        "BIDS derivatives",
        f"files are named like {labels[0].path.name}",
        "sidecars, entities (rater, desc) or the folder below derivatives",
    )
    structures = sorted({file.entities["label"] for file in labels if "label" in file.entities})
    cases: dict[tuple[str, ...], FoundCase] = {}
    for file in labels:
        structure = file.entities.get("label", "") if len(structures) > 1 else ""
        id = f"{file.case}_{structure}" if structure else file.case
        case = cases.setdefault((*file.key, structure), FoundCase(id))
        case.add_labels("truth" if file.reader.lower() in TRUTH else file.reader, file.path)
        case.patient = f"sub-{file.entities['sub']}" if "ses" in file.entities or structure else None
        if isinstance(file.sidecar.get("Date"), str):
            case.dates[file.reader] = file.sidecar["Date"]
    images: dict[tuple[str, ...], list[Path]] = {}
    for file in files:
        if not file.is_labels and file.suffix != "probseg":
            images.setdefault(file.key, []).append(file.path)
    for key, case in cases.items():
        case.images = images.get(key[:-1]) or images.get(key[:1]) or []
    found.cases = list(cases.values())
    if len(structures) > 1:
        found.remarks.append(f"Each label entity became cases of its own: {', '.join(structures)}.")
    add_description(source, found, structures)
    return found


def _bids_files(source: Path) -> Iterator[_File]:
    for folder in folders_below(source):
        for path in image_files(folder):
            stem = plain_stem(path)
            if _NAME.fullmatch(stem):
                *pairs, suffix = stem.split("_")
                entities = dict(pair.split("-", 1) for pair in pairs)
                sidecar = path.with_name(f"{stem}.json")
                content = read_json(sidecar) if sidecar.is_file() else {}
                yield _File(path, entities, suffix, content if isinstance(content, dict) else {})


def add_description(source: Path, found: Found, structures: list[str]) -> None:
    """The study's name from dataset_description.json, and its classes from dseg.tsv or the only label entity."""
    description = source / "dataset_description.json"
    content = read_json(description) if description.is_file() else {}
    if isinstance(content, dict) and isinstance(content.get("Name"), str) and content["Name"].strip():
        found.name = content["Name"]
    tables = sorted(source.rglob("*dseg.tsv"))
    if tables:
        with tables[0].open(encoding="utf-8-sig", newline="") as file:
            rows = [row for row in csv.DictReader(file, delimiter="\t") if (row.get("index") or "").isdecimal()]
        numbered = {int(row["index"]): (row.get("name") or "").strip() for row in rows}
        if numbered and 0 < max(numbered) < 256:
            numbered.setdefault(0, "background")
            found.classes = tuple(numbered.get(n) or f"class {n}" for n in range(max(numbered) + 1))
            found.classes_from = tables[0].name
    elif len(structures) == 1:
        found.classes, found.classes_from = ("background", structures[0]), "the label entity"
