"""docs/api.md is what the docstrings say today."""

from __future__ import annotations

import importlib.util
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "docs" / "make_api_page.py"


def test_the_page_is_the_one_that_the_docstrings_make() -> None:
    spec = importlib.util.spec_from_file_location("make_api_page", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.page() == module.PAGE.read_text(encoding="utf-8"), "run python docs/make_api_page.py"
