"""The study file: which cases there are, who labeled them and where the files are; opening it reads no image."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, Generic, TypeVar, overload

from NoisyLabelSegLib.cases.case import Annotation, Case, Source
from NoisyLabelSegLib.cases.geometry import Image
from NoisyLabelSegLib.cases.study_rules import name_problem, study_problem
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.json_checks import read_json
from NoisyLabelSegLib.output import write_text

Entry = TypeVar("Entry")


class LazyCases(Sequence[Case], Generic[Entry]):
    """One case per entry, made by `make` when it is asked for, so that large studies open at once.

    With `keep` each is made once; without, a case that holds its images in memory goes when nobody needs it any more.
    """

    def __init__(self, entries: Sequence[Entry], make: Callable[[Entry], Case], *, keep: bool) -> None:
        self._entries, self._make, self._keep = entries, make, keep
        self._made: dict[int, Case] = {}

    def __len__(self) -> int:
        return len(self._entries)

    @overload
    def __getitem__(self, index: int) -> Case: ...
    @overload
    def __getitem__(self, index: slice) -> list[Case]: ...
    def __getitem__(self, index: int | slice) -> Case | list[Case]:
        if isinstance(index, slice):
            return [self[position] for position in range(*index.indices(len(self)))]
        position = range(len(self))[index]
        if position in self._made:
            return self._made[position]
        case = self._make(self._entries[position])
        if self._keep:
            self._made[position] = case
        return case


FORMAT = "noisylabelseg-study/1"
_WANTED = "give a study.json or the folder that holds one"
_FROM_LABELS = "label files: noisylabelseg fuse, or noisylabelseg import folder to make a study"


@dataclass(frozen=True)
class Study:
    """Cases that share classes and annotators. `extra` keeps keys of the file that this version does not know.

    Examples
    --------
    >>> folder = simulate("lesions", "lesions", cases=3, size=(40, 40, 6)).folder
    >>> study = Study.read(folder)
    >>> study.classes, len(study.cases)
    (('background', 'lesion'), 3)
    """

    name: str
    classes: tuple[str, ...]
    annotators: tuple[str, ...]
    cases: Sequence[Case]
    folder: Path = Path()
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def experience(self) -> Mapping[str, float]:
        """Years of experience of annotators, where the file has them."""
        years: Mapping[str, float] = self.extra.get("experience", {})
        return years

    @classmethod
    def read(cls, path: str | Path) -> Study:
        """Opens a `study.json`, or the one in a folder."""
        path = Path(path)
        path = path / "study.json" if path.is_dir() else path
        content = _read_json(path)
        problem = study_problem(content)
        if problem:
            raise UserError(problem, file=path, remedy="see the study format in docs/formats.md")
        known = ("format", "name", "classes", "annotators", "cases")
        make = partial(_case_from_json, folder=path.parent, classes=len(content["classes"]))
        return cls(
            name=content["name"],
            classes=tuple(content["classes"]),
            annotators=tuple(content["annotators"]),
            cases=LazyCases(content["cases"], make, keep=True),
            folder=path.parent,
            extra={key: value for key, value in content.items() if key not in known},
        )

    def write(self, folder: str | Path | None = None, *, name: str = "study.json", force: bool = False) -> Path:
        """Writes the study file into the folder (its own if None); every file of a case must lie below that folder."""
        folder = self.folder if folder is None else Path(folder)
        write_text(folder / name, self.text(folder, name=name), force=force)
        return folder / name

    def text(self, folder: Path, *, name: str = "study.json") -> str:
        """The text of a study file that lies in the folder; what no study file may hold is refused."""
        content = {
            "format": FORMAT,
            "name": self.name,
            "classes": list(self.classes),
            "annotators": list(self.annotators),
            **self.extra,
            "cases": [_case_to_json(case, folder) for case in self.cases],
        }
        problem = study_problem(content)
        if problem:
            raise UserError(problem, file=folder / name)
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"

    def case(self, id: str) -> Case:
        for case in self.cases:
            if case.id == id:
                return case
        raise UserError(f"The study {self.name} has no case {id}")

    def split(self, *names: str) -> Study:
        """The study with only the cases of these splits; all of them when no case names a split."""
        if not any(case.split for case in self.cases):
            return self
        return replace(self, cases=tuple(case for case in self.cases if case.split in names))

    def only_split(self, name: str) -> Study:
        """The study with the cases that name this split; refused where none does."""
        chosen = replace(self, cases=tuple(case for case in self.cases if case.split == name))
        if not chosen.cases:
            splits = " and ".join(sorted({case.split for case in self.cases if case.split})) or "none"
            raise UserError(f"No case of the study {self.name} is in the split {name}", remedy=f"it has {splits}")
        return chosen

    def only_case(self, id: str) -> Study:
        """The study with this case alone; the only case of a study may be called otherwise, such as after a file."""
        chosen = tuple(case for case in self.cases if case.id == id)
        if not chosen and len(self.cases) == 1 and not name_problem(id):
            chosen = (replace(self.cases[0], id=id),)
        if not chosen:
            first = ", ".join(case.id for case in self.cases[:5])
            more = f" and {len(self.cases) - 5} more" if len(self.cases) > 5 else ""
            raise UserError(f"The study {self.name} has no case {id!r}", remedy=f"it has {first}{more}")
        return replace(self, cases=chosen)

    def require_files(self) -> None:
        """Refuses a study that names a file that is not there, before long work begins."""
        for error in self.missing_files():
            raise error

    def missing_files(self) -> Iterator[UserError]:
        """What to say about each file that the study names and that is not there."""
        for case in self.cases:
            for source in case.sources():
                if isinstance(source, Path) and not source.exists():
                    yield UserError(
                        f"is missing, but case {case.id} of the study names it",
                        file=source,
                        remedy="restore the file or remove it from study.json",
                    )


def _read_json(path: Path) -> Any:
    try:
        return read_json(path, missing=_WANTED, damaged="correct it or make the study anew")
    except UserError as error:
        if path.suffix.lower() != ".json" and isinstance(error.__cause__, ValueError):  # an image, most often
            remedy = f"{_WANTED} ({_FROM_LABELS})"
            raise UserError("is not a study file", file=path, remedy=remedy) from error
        raise


def _case_from_json(entry: Mapping[str, Any], folder: Path, classes: int) -> Case:
    def annotation(value: Any) -> Annotation:
        if isinstance(value, str):
            return Annotation(folder / value)
        extra = {key: item for key, item in value.items() if key not in ("file", "date", "image")}
        image = folder / value["image"] if "image" in value else None
        return Annotation(folder / value["file"], value.get("date"), extra, image)

    truth = entry.get("truth")
    truth = {"file": truth} if isinstance(truth, str) else truth
    known = ("id", "images", "annotations", "truth", "split", "patient", "repeats")
    return Case(
        id=entry["id"],
        images=tuple(folder / name for name in entry["images"]),
        annotations={name: annotation(value) for name, value in entry["annotations"].items()},
        truth_source=None if truth is None else folder / truth["file"],
        split=entry.get("split"),
        classes=classes,
        extra={key: value for key, value in entry.items() if key not in known},
        patient=entry.get("patient"),
        repeats={name: tuple(map(annotation, values)) for name, values in entry.get("repeats", {}).items()},
        provenance={} if truth is None else {key: value for key, value in truth.items() if key != "file"},
    )


def _case_to_json(case: Case, folder: Path) -> dict[str, Any]:
    def annotation(value: Annotation) -> Any:
        file = _relative(value.source, folder, case.id)
        if value.date is None and not value.extra and value.image is None:
            return file
        image = {} if value.image is None else {"image": _relative(value.image, folder, case.id)}
        return {"file": file, **({} if value.date is None else {"date": value.date}), **image, **value.extra}

    entry: dict[str, Any] = {"id": case.id, "images": [_relative(source, folder, case.id) for source in case.images]}
    if case.patient is not None:
        entry["patient"] = case.patient
    if case.split is not None:
        entry["split"] = case.split
    entry["annotations"] = {name: annotation(value) for name, value in case.annotations.items()}
    if case.repeats:
        entry["repeats"] = {name: [annotation(value) for value in values] for name, values in case.repeats.items()}
    if case.truth_source is not None:
        file = _relative(case.truth_source, folder, case.id)
        entry["truth"] = {"file": file, **case.provenance} if case.provenance else file
    return {**entry, **case.extra}


def _relative(source: Source, folder: Path, id: str) -> str:
    if isinstance(source, Image):
        raise ValueError(f"case {id} holds an image in memory; write it to a file before the study")
    relative = os.path.relpath(source, folder)
    return PurePosixPath(*Path(relative).parts).as_posix()
