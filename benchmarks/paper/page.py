"""Puts what `reproduce` wrote into docs: python -m benchmarks.paper.page FOLDER docs/paper.md docs/results/paper.json

FOLDER holds the pages and records. Of the records only what the tables are made of is kept, without the cases.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from NoisyLabelSegLib.output import write_text


def main(words: Sequence[str]) -> int:
    folder, page, records = (Path(word) for word in words)

    def renewed(place: re.Match[str]) -> str:
        file = folder / f"{place[2]}.md"
        table = table_of(file.read_text(encoding="utf-8")) if file.exists() else place[3].strip()
        return f"{place[1]}\n\n{table}\n\n<!-- end -->"

    text = page.read_text(encoding="utf-8")
    write_text(page, re.sub(r"(<!-- table ([a-z-]+) -->)(.*?)<!-- end -->", renewed, text, flags=re.S), force=True)
    kept = {file.stem: _kept(json.loads(file.read_text(encoding="utf-8"))) for file in _records(folder)}
    lines = [f"{json.dumps(name)}: {json.dumps(record)}" for name, record in sorted(kept.items())]
    write_text(records, "{\n" + ",\n".join(lines) + "\n}\n", force=True)
    return 0


def _records(folder: Path) -> list[Path]:
    return sorted((folder / "records").glob("*.json"))


def _kept(record: dict[str, Any]) -> dict[str, Any]:
    """The figures of a training with five digits, what it warned of, and the curve over epochs if there is one."""
    found = {key: round(value, 5) for key, value in record.items() if isinstance(value, float) and key != "seconds"}
    curve = [round(value, 4) for value in record.get("curve") or []]
    return {**found, **({"curve": curve} if curve else {}), "remarks": record.get("remarks", [])}


def table_of(text: str) -> str:
    """The lines of the table on a page that `reproduce` wrote."""
    return "\n".join(line for line in text.splitlines() if line.startswith("|"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
