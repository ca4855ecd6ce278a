"""Qt 6 has this property, Slicer's Qt 5.15 has not."""

import qt

qt.QComboBox().labelDrawingMode = 1
