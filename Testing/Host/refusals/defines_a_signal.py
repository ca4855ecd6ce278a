"""Signals cannot be defined in Python with PythonQt."""

import qt


class Section(qt.QWidget):
    changed = qt.Signal()
