"""The page of error texts quotes what the program really says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = REPOSITORY / "docs" / "troubleshooting.md"
TEXTS = re.findall(r"^### `(.+)`$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
SOURCES = [
    *(REPOSITORY / "NoisyLabelSegLib").rglob("*.py"),
    *(REPOSITORY / "Testing" / "Host").rglob("*.py"),
    REPOSITORY / ".ci" / "system-packages",
]


def test_the_page_has_texts() -> None:
    assert len(TEXTS) > 20


@pytest.mark.parametrize("text", TEXTS)
def test_the_program_says_this(text: str) -> None:
    said = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)
    for piece in text.split("..."):
        assert piece.strip() in said, piece
