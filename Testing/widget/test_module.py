"""The module file: what Slicer calls on it, from loading to quitting."""

from __future__ import annotations

import sys
import unittest
from collections.abc import Iterator

import numpy as np
import pytest
import slicer


def test_the_story_for_inside_slicer_is_true(module):
    assert module.panel is not None
    suite = unittest.TestSuite([sys.modules["NoisyLabelSeg"].NoisyLabelSegTest("test_story")])
    result = unittest.TestResult()
    suite.run(result)
    assert result.testsRun == 1
    assert not result.errors + result.failures


def test_the_demo_case_is_offered_as_sample_data_and_made_offline(module):
    from SampleData import SampleDataLogic

    assert "NoisyLabelSeg" in SampleDataLogic.titles
    SampleDataLogic.click("NoisyLabelSegDemo")
    assert len(module.panel.case.annotators) == 5


def test_a_script_can_fuse_without_the_panel(module, volume, readers):
    truth = module.logic.fuse(volume, list(readers.values()), "majority")
    array = slicer.util.arrayFromSegmentBinaryLabelmap(truth, truth.GetSegmentation().GetNthSegmentID(0), volume)
    assert np.array_equal(array, slicer.util.arrayFromVolume(readers["exact"]))


@pytest.fixture
def library() -> Iterator[None]:
    """Reloading forgets the library; the tests that follow go on with the one they know."""
    before = {name: loaded for name, loaded in sys.modules.items() if name.startswith("NoisyLabelSegLib")}
    yield
    for name in [name for name in sys.modules if name.startswith("NoisyLabelSegLib")]:
        del sys.modules[name]
    sys.modules.update(before)


@pytest.mark.usefixtures("library")
def test_reloading_twice_leaves_one_panel_that_works(host, module):
    module.onReload()
    slicer.util.getModuleWidget("NoisyLabelSeg").onReload()
    newest = slicer.util.getModuleWidget("NoisyLabelSeg")
    assert newest is not module
    newest.panel.opening.openDemo()
    assert newest.panel.truth.truth is not None
    assert module.panel.truth.truth is None, "the old panel does not listen any more"
    newest.cleanup()
    assert not host.faults


def test_closing_the_scene_empties_the_panel(host, opened):
    host.close_scene()
    assert not opened.case.isOpen
    assert opened.truth.truth is None
    assert opened.caseSection._ui.annotatorTable.model().rowCount() == 0
    host.wait_for(lambda: opened.annotatorsSection._ui.statisticsTable.model().rowCount() == 0)


def test_every_control_that_is_off_says_why(module):
    from PySide6.QtWidgets import QPushButton

    buttons = module.parent.findChildren(QPushButton)
    silent = [
        button.objectName() for button in buttons if not button.property("enabled") and not button.property("toolTip")
    ]
    assert len(buttons) > 10
    assert not silent


def test_without_a_main_window_the_panel_works(module, monkeypatch):
    monkeypatch.setattr(slicer.app, "layoutManager", lambda: None)
    assert slicer.util.mainWindow() is None
    module.panel.caseSection._ui.demoButton.click()
    assert module.panel.truth.truth is not None
