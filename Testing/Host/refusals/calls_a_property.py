"""PythonQt's properties are attributes; calling one raises."""

import qt

button = qt.QPushButton("Apply")
button.text()
