"""Writes docs/tutorial.md from the cells of docs/tutorial.ipynb: `python docs/make_tutorial_page.py`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).parent / "tutorial.ipynb"
PAGE = NOTEBOOK.with_suffix(".md")
NOTE = "[Download this page as a notebook](tutorial.ipynb). A test runs it, cell by cell.\n"


def page() -> str:
    """The cells in order; the note about the notebook follows the title."""
    first, *others = (_block(cell) for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"])
    title, _, rest = first.partition("\n\n")
    return "\n\n".join([title, NOTE.strip(), rest.strip(), *(block.strip() for block in others)]) + "\n"


def _block(cell: dict[str, Any]) -> str:
    source = "".join(cell["source"])
    return f"```python\n{source}\n```" if cell["cell_type"] == "code" else source


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
