"""loadUI takes a string."""

from pathlib import Path

import slicer

slicer.util.loadUI(Path("Resources/UI/Case.ui"))
