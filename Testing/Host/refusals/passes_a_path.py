"""PythonQt cannot convert a pathlib.Path."""

from pathlib import Path

import qt

qt.QPixmap(Path("case.png"))
