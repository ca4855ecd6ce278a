"""What Slicer allows: properties as attributes, flat enums, a slot that takes the argument of its signal."""

import qt

seen = []
button = qt.QPushButton("Apply")
button.checkable = True
button.clicked.connect(lambda checked: seen.append(checked))
button.click()
text, state = button.text, qt.Qt.Checked
