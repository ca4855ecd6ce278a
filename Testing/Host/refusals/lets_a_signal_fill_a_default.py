"""clicked(bool) would pass False as the volume."""

import qt


def run(volume=None):
    return volume


button = qt.QPushButton("Apply")
button.clicked.connect(run)
