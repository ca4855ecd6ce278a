"""The key of a hand-out: which pseudonym is which case; it stays with the coordinator."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from NoisyLabelSegLib.cases.study_rules import name_problem
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.json_checks import read_json, to_dataclass

FORMAT = "noisylabelseg-handout-key/1"
KEY_FILE, WORKLIST = "key.json", "worklist.json"
WORKLIST_FORMAT = "noisylabelseg-worklist/1"


@dataclass(frozen=True)
class Item:
    """One entry of a reader's worklist; `reading` is 1 for the first reading of the case, 2 for a hidden repeat."""

    pseudonym: str
    case: str
    reading: int


@dataclass(frozen=True)
class HandoutKey:
    """Everything about a hand-out that its packages do not say; `cases` maps ids to patient and split."""

    handout: str
    study: str
    classes: tuple[str, ...]
    seed: int
    date: str
    cases: Mapping[str, Mapping[str, Any]]
    readers: Mapping[str, tuple[Item, ...]]

    def text(self) -> str:
        """The content of a key file."""
        readers = {name: [vars(item) for item in items] for name, items in self.readers.items()}
        content = {"format": FORMAT, **vars(self), "classes": list(self.classes), "readers": readers}
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def read(cls, path: str | Path) -> HandoutKey:
        """Reads a key file; anything else is refused with a sentence."""
        path = Path(path)
        content = read_json(path, missing="give the key.json that handout wrote with --key")
        if not isinstance(content, dict) or content.pop("format", None) != FORMAT:
            raise UserError(f"is not a key of the format {FORMAT}", file=path, remedy="give the one that handout wrote")
        try:
            plain = to_dataclass(_PlainKey, content, what="key")
            readers = {
                name: tuple(to_dataclass(Item, item, what="key") for item in items)
                for name, items in plain.readers.items()
            }
            names = [*plain.cases, *readers, *(item.pseudonym for items in readers.values() for item in items)]
            if problem := next(filter(None, map(name_problem, names)), None):
                raise UserError(f"A name {problem}")
            if not all(isinstance(facts, dict) for facts in plain.cases.values()):
                raise UserError("Its cases are not objects")
            if not all(item.case in plain.cases for items in readers.values() for item in items):
                raise UserError("It has readings of cases that it does not name")
        except (TypeError, AttributeError, UserError) as error:
            raise UserError("is a damaged key", file=path, remedy="restore it", detail=str(error)) from error
        return cls(**{**vars(plain), "readers": readers})


@dataclass(frozen=True)
class _PlainKey:
    """The key as JSON has it."""

    handout: str
    study: str
    classes: tuple[str, ...]
    seed: int
    date: str
    cases: Mapping[str, Any]
    readers: Mapping[str, Any]
