"""The notebook of the tutorial runs from its first cell to its last, and its page says the same."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_notebook_runs(tmp_path: Path) -> None:
    cells = json.loads((DOCS / "tutorial.ipynb").read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert len(code) > 5
    environment = {**os.environ, "PYTHONPATH": str(DOCS.parent), "MPLBACKEND": "Agg"}
    command = [sys.executable, "-c", "\n\n".join(code)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "under" in done.stdout
    assert (tmp_path / "tutorial" / "review" / "report.html").is_file()


def test_its_page_is_the_one_that_the_notebook_makes() -> None:
    spec = importlib.util.spec_from_file_location("make_tutorial_page", DOCS / "make_tutorial_page.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.page() == module.PAGE.read_text(encoding="utf-8"), "run python docs/make_tutorial_page.py"
