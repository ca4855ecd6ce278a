"""The documentation site builds without a warning, and its first page lists all others."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    built = {path.parent.name for path in (tmp_path / "site").glob("*/index.html")}
    assert {"api", "tutorial", "researcher", "method"} <= built


def test_every_page_is_listed_on_the_first_one() -> None:
    first = (REPOSITORY / "docs" / "README.md").read_text(encoding="utf-8")
    pages = {page.name for page in (REPOSITORY / "docs").glob("*.md")} - {"README.md"}
    assert sorted(name for name in pages if f"]({name})" not in first) == []
