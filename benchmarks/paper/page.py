"""Puts the tables that `reproduce` wrote into docs/paper.md: python -m benchmarks.paper.page FOLDER docs/paper.md"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from NoisyLabelSegLib.output import write_text


def main(words: Sequence[str]) -> int:
    folder, page = Path(words[0]), Path(words[1])

    def renewed(place: re.Match[str]) -> str:
        file = folder / f"{place[2]}.md"
        table = table_of(file.read_text(encoding="utf-8")) if file.exists() else place[3].strip()
        return f"{place[1]}\n\n{table}\n\n<!-- end -->"

    text = page.read_text(encoding="utf-8")
    write_text(page, re.sub(r"(<!-- table ([a-z-]+) -->)(.*?)<!-- end -->", renewed, text, flags=re.S), force=True)
    return 0


def table_of(text: str) -> str:
    """The lines of the table on a page that `reproduce` wrote."""
    return "\n".join(line for line in text.splitlines() if line.startswith("|"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
