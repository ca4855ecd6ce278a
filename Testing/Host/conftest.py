"""The host for the tests in this folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from slicerhost import Host

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parent))


@pytest.fixture
def host() -> Iterator[Host]:
    """The host with an empty scene; a fault in a slot, which Slicer would only print, fails the test."""
    pytest.importorskip("PySide6")
    pytest.importorskip("slicer")
    from slicerhost import start

    running = start()
    running.scene.Clear(0)
    running.faults.clear()
    yield running
    assert not running.faults
