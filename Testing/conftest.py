"""Fixtures that every room's tests share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def shared_data() -> Path:
    """The team's folder of real data; a test that wants it is skipped where it is absent."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("needs ../shared/data")
    return folder
