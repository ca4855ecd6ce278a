"""The story that NoisyLabelSegTest runs inside Slicer: demo case, truth, an annotator's errors, export."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import slicer

from NoisyLabelSegLib.fusion import DEFAULT
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.widget.export_logic import Format

MODULE = "NoisyLabelSeg"


def runStory(test: Any) -> None:
    """`test` is a unittest.TestCase with delayDisplay()."""
    panel = slicer.util.getModuleWidget(MODULE).panel
    test.delayDisplay("Open the demo case")
    panel.opening.openDemo()
    assert len(panel.case.annotators) == 5
    test.delayDisplay("Estimate the truth")
    panel.truth.fuse(DEFAULT)
    folder = panel.case.folder
    assert folder.find(Role.TRUTH) is not None
    test.delayDisplay("Review the annotators")
    panel.annotators.update()
    assert len(panel.annotators.rows()) == 5
    name = next(name for name in panel.case.annotators if panel.annotators.mistakes(name))
    panel.annotators.show(name, oneViewEach=False)
    number, total, words = panel.annotators.step(name, 1)
    assert (number, total >= 1) == (1, True)
    test.delayDisplay(words)
    with tempfile.TemporaryDirectory() as target:
        panel.exportSection.logic.export([Format.NRRD, Format.REVIEW], Path(target))
        assert any(Path(target).rglob("report.html"))
    test.delayDisplay("The story is told")
