"""The documentation site builds without a warning, and every page is in its navigation."""

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


def test_every_page_is_in_the_navigation() -> None:
    navigation = (REPOSITORY / "mkdocs.yml").read_text(encoding="utf-8").partition("nav:")[2]
    pages = sorted(page.name for page in (REPOSITORY / "docs").glob("*.md"))
    assert [name for name in pages if f": {name}" not in navigation] == []
