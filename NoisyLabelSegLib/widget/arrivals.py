"""What comes from outside the panel: a study.json dropped on Slicer, and the demo case of the Sample Data module."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import slicer
from slicer.i18n import tr as _

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.resources import resource_path

MODULE = "NoisyLabelSeg"
STUDY_FORMAT = b'"noisylabelseg-study/'


def studyConfidence(path: str) -> float:
    """How sure it is that this file is a study: Slicer asks all readers and takes the surest."""
    try:
        with Path(path).open("rb") as file:
            return 0.9 if STUDY_FORMAT in file.read(4096) else 0.0
    except OSError:
        return 0.0


def loadStudyFile(path: str) -> list[str]:
    """Opens a study in the panel; returns the ids of the new nodes, none if it failed and people were told why."""
    return _inPanel(lambda opening: opening.openPath(Path(path)))


def registerSampleData() -> None:
    """Offers the demo case in the Sample Data module; it is made on this computer, nothing is downloaded."""
    import SampleData

    logic = SampleData.SampleDataLogic
    if hasattr(logic, "registerCustomSampleDataCategory"):  # Slicer 5.12 and later
        logic.registerCustomSampleDataCategory(category=MODULE, title=_("Noisy Label Segmentation"))
    logic.registerCustomSampleDataSource(
        category=MODULE,
        sampleName="NoisyLabelSegDemo",
        uris="made-on-this-computer",
        fileNames="NoisyLabelSegDemo",
        nodeNames="NoisyLabelSegDemo",
        thumbnailFileName=str(resource_path("Icons/NoisyLabelSegDemo.png")),
        customDownloader=loadDemo,
    )


def loadDemo(_source: Any) -> None:
    _inPanel(lambda opening: opening.openDemo())


def _inPanel(work: Callable[[Any], None]) -> list[str]:
    """Does something with the panel's Opening, the panel in front; returns the ids of the nodes that this added."""
    if slicer.util.mainWindow() is not None:
        slicer.util.selectModule(MODULE)
    scene = slicer.mrmlScene
    before = {node.GetID() for node in scene.GetNodes()}
    try:
        opening = slicer.util.getModuleWidget(MODULE).panel.opening
        work(opening)
        opening.finish()  # Slicer wants to know at once what was loaded
    except UserError as error:
        logging.info("NoisyLabelSeg: %s %s", error.sentence, error.detail)
        slicer.util.errorDisplay(error.sentence)
    return [node.GetID() for node in scene.GetNodes() if node.GetID() not in before]
