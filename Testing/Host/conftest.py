"""The host for the tests in this folder."""

import os
import sys
from pathlib import Path

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parent))
pytest.importorskip("PySide6")
pytest.importorskip("slicer")

from slicerhost.fixtures import host  # noqa: F401
