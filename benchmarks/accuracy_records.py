"""The records of `bench accuracy`: one JSON line per training, one file per study."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.output import write_text

Record = dict[str, Any]
KEYS = ("study", "panel", "labels", "method", "seed")


class Records:
    """The records in a folder, by key; `add` writes the study's file whole, so that a stop loses no finished one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._by_key: dict[str, Record] = {}
        for file in sorted(folder.glob("*.jsonl")):
            for line in file.read_text(encoding="utf-8").splitlines():
                try:
                    record = json.loads(line)
                    self._by_key[key_of(record)] = record
                except (ValueError, KeyError) as error:
                    raise UserError("holds a line that is not a record", file=file, remedy="remove it") from error

    def __iter__(self) -> Iterator[Record]:
        return iter(self._by_key.values())

    def get(self, key: str) -> Record | None:
        return self._by_key.get(key)

    def add(self, record: Record) -> None:
        self._by_key[key_of(record)] = record
        study = record["study"]
        lines = [json.dumps(each, separators=(",", ":")) for each in self._by_key.values() if each["study"] == study]
        write_text(self._folder / f"{study}.jsonl", "\n".join(sorted(lines)) + "\n", force=True)


def key_of(record: Record) -> str:
    return "/".join(str(record[name]) for name in KEYS)


def rounded(value: Any) -> Any:
    """Figures with five digits, in lists and objects too; None for what is not a number."""
    if isinstance(value, dict):
        return {name: rounded(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(item) for item in value]
    if isinstance(value, float):
        return round(value, 5) if value == value else None
    return value
