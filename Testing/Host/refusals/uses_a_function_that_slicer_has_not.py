"""A function that slicer.util might have, and has not."""

import slicer

slicer.util.askForFile("Open")
