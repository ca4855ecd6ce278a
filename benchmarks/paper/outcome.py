"""What an experiment leaves: a page with its table and what differs from the paper, and its pictures."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.output import output_file, write_text

PUBLISHED: dict[str, Any] = json.loads((Path(__file__).parent / "published.json").read_text(encoding="utf-8"))


@dataclass
class Outcome:
    """A table, pictures by name, and sentences about what differs from the paper or is missing."""

    title: str
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()
    differs: Sequence[str] = ()
    figures: dict[str, Figure] = field(default_factory=dict)

    def written(self, name: str, out: Path, terminal: Terminal) -> dict[str, Any]:
        """Writes `NAME.md` and the pictures, shows both to the terminal, and returns what was written."""
        files = []
        for ending, figure in self.figures.items():
            file = out / (f"{name}-{ending}.png" if ending else f"{name}.png")
            with output_file(file) as partial:
                figure.savefig(partial, dpi=100)
            files.append(file.name)
        text = [f"# {self.title}", *(["", self._table()] if self.rows else [])]
        text += ["", *(f"![{file}]({file})" for file in files)] if files else []
        text += ["", "What differs from the paper:", "", *(f"- {sentence}" for sentence in self.differs)]
        page = out / f"{name}.md"
        write_text(page, "\n".join(text) + "\n", force=True)
        if self.rows:
            terminal.table(self.title, list(self.columns), self.rows)
        for sentence in self.differs:
            terminal.say(f"Differs: {sentence}")
        for file_name in (page.name, *files):
            terminal.say(f"Written: {out / file_name}")
        rows = [dict(zip(self.columns, map(str, row), strict=True)) for row in self.rows]
        return {"title": self.title, "rows": rows, "differs": list(self.differs), "files": [page.name, *files]}

    def _table(self) -> str:
        lines = [self.columns, ["---"] * len(self.columns), *self.rows]
        return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def plus_minus(values: Sequence[float | None], *, percent: bool = False) -> str:
    """Mean and standard deviation over seeds, as the paper prints them; a dash where there is none."""
    known = np.array([value for value in values if value is not None and math.isfinite(value)])
    if not len(known):
        return "–"
    scale, digits = (100, 2) if percent else (1, 4)
    mean = f"{scale * known.mean():.{digits}f}"
    return mean if len(known) == 1 else f"{mean} ± {scale * known.std(ddof=1):.{digits}f}"


def published(values: Sequence[float] | None, *, digits: int) -> str:
    """A mean and its deviation as the paper printed them; n/a where it printed none."""
    return "n/a" if not values else f"{values[0]:.{digits}f} ± {values[1]:.{digits}f}"
