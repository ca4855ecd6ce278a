"""Opens Segment Editor with the truth of a case, or with what somebody draws."""

from __future__ import annotations

from typing import Any

import slicer

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.nodes import Role

MODULE = "SegmentEditor"


def editInSegmentEditor(folder: CaseFolder) -> None:
    """Selects the module, and in it the truth and the image."""
    truth = folder.find(Role.TRUTH)
    if truth is None:
        raise UserError("There is no Segment Editor to open", remedy="start Slicer with its main window")
    drawInSegmentEditor(truth, folder.image)


def drawInSegmentEditor(node: Any, image: Any) -> None:
    """Selects the module, and in it this segmentation and the image."""
    if slicer.util.mainWindow() is None:
        raise UserError("There is no Segment Editor to open", remedy="start Slicer with its main window")
    node.GetDisplayNode().SetVisibility(True)
    slicer.util.selectModule(MODULE)
    editor = slicer.util.getModuleWidget(MODULE).editor
    editor.setSegmentationNode(node)
    editor.setSourceVolumeNode(image)
