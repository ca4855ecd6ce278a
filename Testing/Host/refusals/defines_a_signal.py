"""Signals cannot be defined in Python with PythonQt."""

import qt


class Section(qt.QObject):
    changed = qt.Signal()
