"""A custom class that the .ui file does not declare loads as a plain widget in Slicer, or not at all."""

import tempfile
from pathlib import Path

import slicer

CONTENT = '<ui version="4.0"><widget class="qMRMLWidget" name="Section"/></ui>'

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "Section.ui"
    path.write_text(CONTENT)
    slicer.util.loadUI(str(path))
