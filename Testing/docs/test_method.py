"""The page of the method names every setting."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from NoisyLabelSegLib.training.settings import Settings

PAGE = Path(__file__).resolve().parents[2] / "docs" / "method.md"


def test_every_setting_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    missing = [item.name for item in dataclasses.fields(Settings) if f"`{item.name}" not in text]
    assert not missing
