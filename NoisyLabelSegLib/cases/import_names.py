"""Names of cases and annotators that importers take from files and folders, never from what is known of the patient."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from NoisyLabelSegLib.cases.study_rules import name_problem

_ENDINGS = (".dcm", ".dicom", ".ima", ".seg", ".xml")


def usable_name(text: str, otherwise: str = "unnamed") -> str:
    """The text with everything that cannot stand in a file name replaced."""
    name = "".join("_" if letter in '/\\:*?"<>|' or not letter.isprintable() else letter for letter in text)
    name = name.strip(" .")[:100].strip(" .")
    return otherwise if name_problem(name) else name


def stem(path: Path) -> str:
    """The file's name without an ending that says what kind of file it is; DICOM files are often named by UIDs."""
    return path.stem if path.suffix.lower() in _ENDINGS else path.name


def case_names(places: Sequence[Path], root: Path) -> list[str]:
    """One name per case: that of the source for a single case, else the folder below it that tells the cases apart."""
    whole = usable_name(stem(root) if root.is_file() else root.resolve().name, "case")
    if len(places) == 1:
        return [whole]
    parts = [_below(place, root) for place in places]
    short = [usable_name(part[0] if part else whole, "case") for part in parts]
    if len({name.lower() for name in short}) == len(short):
        return short
    return distinct(usable_name("_".join(part) or whole, "case") for part in parts)


def file_names(paths: Sequence[Path], root: Path) -> list[str]:
    """One name per file: its stem, or where stems are shared the folders that tell the files apart."""
    stems = [stem(path) for path in paths]
    if len({name.lower() for name in stems}) == len(stems):
        return distinct(usable_name(name) for name in stems)
    parts = [(*_below(path, root)[:-1], name) for path, name in zip(paths, stems, strict=True)]
    first, last = _shared(parts), _shared([part[::-1] for part in parts])
    return distinct(usable_name("_".join(part[first : len(part) - last]) or part[-1]) for part in parts)


def distinct(names: Iterable[str]) -> list[str]:
    """The names, later repetitions (in any case) numbered _2, _3, ..."""
    taken: set[str] = set()
    result = []
    for name in names:
        number, candidate = 1, name
        while candidate.lower() in taken:
            number += 1
            candidate = f"{name}_{number}"
        taken.add(candidate.lower())
        result.append(candidate)
    return result


def _below(path: Path, root: Path) -> tuple[str, ...]:
    return path.relative_to(root).parts if path.is_relative_to(root) else (path.name,)


def _shared(parts: Sequence[Sequence[str]]) -> int:
    """How many parts all begin with."""
    same = [len(set(column)) == 1 for column in zip(*parts, strict=False)]
    return same.index(False) if False in same else len(same)
