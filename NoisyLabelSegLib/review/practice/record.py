"""The practice record of one person: every attempt with its score, in a file of theirs that holds no patient data."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.json_checks import read_json, to_dataclass
from NoisyLabelSegLib.output import csv_text, only_writer, write_text

FORMAT = "noisylabelseg-practice/1"
WAITS = (1, 3, 7, 21)
"""The days after which a case is to be drawn again: after the first attempt, the second, and so on."""


@dataclass(frozen=True)
class Attempt:
    """One drawing of one case. `case` is a digest of the experts' labels, so that no name of a patient is kept.

    The figures are those of SpreadScore; `errors` counts the errors outside the experts' spread, `missed_ml` and
    `extra_ml` are their volumes.
    """

    case: str
    date: str
    dice_undisputed: float | None
    dice_with_experts: float
    experts_low: float | None
    experts_mean: float | None
    experts_high: float | None
    experts: int
    errors: int
    missed_ml: float
    extra_ml: float


COLUMNS = ("number", "case", "attempt", *(each.name for each in dataclasses.fields(Attempt) if each.name != "case"))
"""The columns of the exported table."""


@dataclass(frozen=True)
class PracticeRecord:
    """All attempts, oldest first, at most one file per user of the computer."""

    path: Path
    attempts: tuple[Attempt, ...] = field(default=())

    @classmethod
    def read(cls, path: str | Path) -> PracticeRecord:
        """The record in a file; an empty one where there is no file yet."""
        path = Path(path)
        if not path.exists():
            return cls(path)
        content = read_json(path, damaged="delete it to begin a new record")
        entries = content.get("attempts") if isinstance(content, dict) else None
        if not isinstance(entries, list) or content.get("format") != FORMAT:
            raise UserError("is no practice record", file=path, remedy="choose another file or delete this one")
        return cls(path, tuple(to_dataclass(Attempt, _object(entry, path), what="attempt") for entry in entries))

    def add(self, attempt: Attempt) -> PracticeRecord:
        """The record with one more attempt, written whole or not at all; what another window added is kept."""
        with only_writer(self.path):
            record = dataclasses.replace(self.read(self.path), path=self.path)
            record = dataclasses.replace(record, attempts=(*record.attempts, attempt))
            content = {"format": FORMAT, "attempts": [dataclasses.asdict(each) for each in record.attempts]}
            write_text(self.path, json.dumps(content, indent=1) + "\n")
        return record

    def of(self, case: str) -> tuple[Attempt, ...]:
        """The attempts at one case, oldest first."""
        return tuple(attempt for attempt in self.attempts if attempt.case == case)

    def due(self, today: date) -> dict[str, date]:
        """The cases that are to be drawn again by now, and since when: later and later after every attempt."""
        days = {case: _next_date(self.of(case)) for case in dict.fromkeys(each.case for each in self.attempts)}
        return {case: day for case, day in days.items() if day <= today}

    def rows(self) -> list[dict[str, Any]]:
        """One row per attempt; cases are numbered in the order in which they were first drawn."""
        numbers = {case: n for n, case in enumerate(dict.fromkeys(each.case for each in self.attempts), start=1)}
        seen: dict[str, int] = {}
        rows = []
        for number, attempt in enumerate(self.attempts, start=1):
            seen[attempt.case] = seen.get(attempt.case, 0) + 1
            case = {"number": number, "case": f"case {numbers[attempt.case]}", "attempt": seen[attempt.case]}
            rows.append({**dataclasses.asdict(attempt), **case})
        return rows

    def export(self, path: str | Path) -> None:
        """Writes all attempts as CSV."""
        write_text(path, csv_text(self.rows(), COLUMNS))

    def delete(self) -> PracticeRecord:
        """Removes the file; returns the empty record."""
        self.path.unlink(missing_ok=True)
        return PracticeRecord(self.path)


def case_digest(experts: Sequence[NDArray[Any]]) -> str:
    """What tells cases apart in a record: the experts' labels, whatever order they are in, and no name."""
    each = sorted(hashlib.sha256(np.ascontiguousarray(labels, dtype=np.uint8).data).hexdigest() for labels in experts)
    return hashlib.sha256(" ".join(each).encode()).hexdigest()[:16]


def _next_date(attempts: Sequence[Attempt]) -> date:
    wait = WAITS[min(len(attempts), len(WAITS)) - 1]
    return date.fromisoformat(attempts[-1].date) + timedelta(days=wait)


def _object(entry: Any, path: Path) -> Mapping[str, Any]:
    if not isinstance(entry, dict):
        raise UserError("holds an attempt that is no JSON object", file=path, remedy="delete it to begin a new record")
    try:
        date.fromisoformat(str(entry.get("date")))
    except ValueError as error:
        raise UserError(
            "holds an attempt without a date", file=path, remedy="delete it to begin a new record"
        ) from error
    return entry
