"""The worklist of a package: which case comes next, which are finished, and how long each took."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from NoisyLabelSegLib.cases.study_rules import name_problem, path_problem
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.json_checks import read_json
from NoisyLabelSegLib.output import write_text
from NoisyLabelSegLib.reader_study.key import WORKLIST, WORKLIST_FORMAT

MOST_SECONDS = 10_000_000
"""No reading takes longer; a larger number in a file is a mistake."""


@dataclass(frozen=True)
class Entry:
    """One reading. `finished` is True for done, False for begun, None for not begun; `extra` keeps other keys."""

    id: str
    labels: str
    finished: bool | None = None
    started: str | None = None
    seconds: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Worklist:
    """The readings of one reader in the order in which they are to be done; every change is a new Worklist."""

    path: Path
    reader: str
    classes: tuple[str, ...]
    entries: tuple[Entry, ...]
    extra: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, path: str | Path) -> Worklist:
        """Opens a `worklist.json`, or the one in a folder; anything else is refused with a sentence."""
        path = Path(path)
        path = path / WORKLIST if path.is_dir() else path
        content = read_json(path, missing="choose the folder that was handed out", damaged="ask for the package again")
        if problem := _problem(content):
            raise UserError(problem, file=path, remedy="ask for the package again")
        known = ("reader", "classes", "cases")
        return cls(
            path,
            content["reader"],
            tuple(content["classes"]),
            tuple(_entry(entry) for entry in content["cases"]),
            {key: value for key, value in content.items() if key not in known},
        )

    def write(self) -> None:
        """Writes the file, whole or not at all."""
        cases = [
            {
                "id": entry.id,
                "labels": entry.labels,
                "finished": entry.finished,
                "started": entry.started,
                "seconds": entry.seconds,
                **entry.extra,
            }
            for entry in self.entries
        ]
        content = {**self.extra, "reader": self.reader, "classes": list(self.classes), "cases": cases}
        write_text(self.path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")

    @property
    def folder(self) -> Path:
        return self.path.parent

    @property
    def finished(self) -> int:
        """How many readings are done."""
        return sum(entry.finished is True for entry in self.entries)

    @property
    def next_open(self) -> int:
        """The place of the first reading that is not done, or of the last one where all are."""
        open_places = (place for place, entry in enumerate(self.entries) if entry.finished is not True)
        return next(open_places, len(self.entries) - 1)

    def labels_file(self, place: int) -> Path:
        """Where the labels of a reading are."""
        return self.folder / self.entries[place].labels

    def begun(self, place: int, now: datetime) -> Worklist:
        """The same with a reading that has begun; the first time counts."""
        entry = self.entries[place]
        started = entry.started or now.replace(microsecond=0).isoformat()
        return self._with(place, started=started, finished=False if entry.finished is None else entry.finished)

    def worked(self, place: int, seconds: float) -> Worklist:
        """The same with more time spent on a reading."""
        return self._with(place, seconds=round((self.entries[place].seconds or 0.0) + seconds, 1))

    def done(self, place: int, *, finished: bool) -> Worklist:
        """The same with a reading that is finished, or is not after all."""
        return self._with(place, finished=finished)

    def _with(self, place: int, **changes: Any) -> Worklist:
        entries = list(self.entries)
        entries[place] = replace(entries[place], **changes)
        return replace(self, entries=tuple(entries))


def is_duration(value: Any) -> bool:
    """Whether a value of a file is a number of seconds that a reading may take."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= MOST_SECONDS


def _entry(content: Mapping[str, Any]) -> Entry:
    known = ("id", "labels", "finished", "started", "seconds")
    extra = {key: value for key, value in content.items() if key not in known}
    finished, started, seconds = (content.get(key) for key in known[2:])
    return Entry(content["id"], content["labels"], finished, started, seconds, extra)


def _problem(content: Any) -> str | None:
    """The first thing that is wrong with the content of a worklist, or None."""
    if not isinstance(content, dict) or content.get("format") != WORKLIST_FORMAT:
        return f"is not a worklist of the format {WORKLIST_FORMAT}"
    if name_problem(content.get("reader")):
        return "names no reader"
    classes = content.get("classes")
    if not isinstance(classes, list) or len(classes) < 2 or not all(isinstance(name, str) for name in classes):
        return "has no list of classes"
    cases = content.get("cases")
    if not isinstance(cases, list) or not cases:
        return "has no list of cases"
    for number, entry in enumerate(cases, start=1):
        if not isinstance(entry, dict) or name_problem(entry.get("id")) or path_problem(entry.get("labels")):
            return f"has a case (number {number}) without an id and labels below its folder"
        started, seconds = entry.get("started"), entry.get("seconds")
        if entry.get("finished") not in (True, False, None) or not isinstance(started, (str, type(None))):
            return f"has a case (number {number}) whose 'finished' or 'started' makes no sense"
        if seconds is not None and not is_duration(seconds):
            return f"has a case (number {number}) whose 'seconds' are not a number of seconds"
    return None
