"""What predict is asked about: the cases of a study, or loose images."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from NoisyLabelSegLib.cases import Case, Study
from NoisyLabelSegLib.cases.dicom_files import is_dicom
from NoisyLabelSegLib.cases.kinds import plain_stem
from NoisyLabelSegLib.cases.study_rules import name_problem
from NoisyLabelSegLib.errors import UserError


def cases_of(words: Sequence[str], split: str | None = None) -> list[Case]:
    """One study (its cases of `split`, all if None), or images: each a case, channels of one case joined by commas."""
    if len(words) == 1 and _is_study(Path(words[0])):
        return _study_cases(Path(words[0]), split)
    if split is not None:
        raise UserError("--split chooses cases of a study, but loose images were given", remedy="leave it out")
    cases = [_loose(word) for word in words]
    repeated = [id for id, count in Counter(case.id.lower() for case in cases).items() if count > 1]
    if repeated:
        raise UserError(f"Two images are named {repeated[0]!r}", remedy="predict them into different folders")
    return cases


def _is_study(path: Path) -> bool:
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
