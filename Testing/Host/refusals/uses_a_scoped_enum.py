"""PythonQt's enum values are flat."""

import qt

state = qt.Qt.CheckState.Checked
