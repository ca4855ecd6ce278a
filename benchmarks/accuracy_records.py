"""The records of `bench accuracy`: one JSON line per training, one file per study."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from NoisyLabelSegLib.errors import UserError

Record = dict[str, Any]
KEYS = ("study", "panel", "labels", "method", "seed")


class Records:
    """The records in a folder, by key; where a key comes twice the last one counts."""

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
        """Appends a line in one piece, so that processes that measure the same study lose none of each other's."""
        self._by_key[key_of(record)] = record
        line = json.dumps(record, separators=(",", ":")) + "\n"
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / f"{record['study']}.jsonl").open("ab", buffering=0) as file:
            file.write(line.encode())


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
