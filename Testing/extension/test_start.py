"""The module costs Slicer's start next to nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("PySide6")
pytest.importorskip("slicer")

HOST = Path(__file__).resolve().parents[1] / "Host"
CODE = """
import sys
from slicerhost import guard, start
from slicerhost.start import MODULE, REPOSITORY
host = start()
for name in [name for name in sys.modules if name.startswith("NoisyLabelSegLib")]:
    del sys.modules[name]  # what the host itself uses
before = set(sys.modules)
host.load(MODULE, REPOSITORY / MODULE / "NoisyLabelSeg.py")
print(*(set(sys.modules) - before))
"""


def test_loading_the_module_file_loads_nothing_but_itself() -> None:
    environment = {**os.environ, "PYTHONPATH": str(HOST), "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run([sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["NoisyLabelSeg"]
