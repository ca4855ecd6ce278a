"""A property takes no pathlib.Path either."""

from pathlib import Path

import qt

qt.QLabel().text = Path("case.nrrd")
