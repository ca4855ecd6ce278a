"""Opens Segment Editor with the truth of a case."""

from __future__ import annotations

import slicer

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.nodes import Role

MODULE = "SegmentEditor"


def editInSegmentEditor(folder: CaseFolder) -> None:
    """Selects the module, and in it the truth and the image."""
    truth = folder.find(Role.TRUTH)
    if slicer.util.mainWindow() is None or truth is None:
        raise UserError("There is no Segment Editor to open", remedy="start Slicer with its main window")
    truth.GetDisplayNode().SetVisibility(True)
    slicer.util.selectModule(MODULE)
    editor = slicer.util.getModuleWidget(MODULE).editor
    editor.setSegmentationNode(truth)
    editor.setSourceVolumeNode(folder.image)
