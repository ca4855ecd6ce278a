"""The section that estimates the truth."""

from __future__ import annotations

import numpy as np
import slicer
from PySide6.QtCore import Qt

from NoisyLabelSegLib.fusion import METHODS
from NoisyLabelSegLib.scene.roles import Role


def ui_of(panel):
    return panel.truthSection._ui


def choose(panel, method):
    ui = ui_of(panel)
    ui.methodSelector.setProperty("currentIndex", ui.methodSelector.findData(method))


def test_every_method_is_offered_with_a_sentence(module):
    ui = ui_of(module.panel)
    offered = [ui.methodSelector.itemData(place) for place in range(ui.methodSelector.model().rowCount())]
    assert offered == [*METHODS, "model"]
    for method in METHODS:
        choose(module.panel, method)
        assert ui.methodSentence.property("text") == METHODS[method].sentence


def test_without_a_case_the_button_says_why_it_is_off(module):
    ui = ui_of(module.panel)
    assert not ui.estimateButton.property("enabled")
    assert "demo case" in ui.estimateButton.property("toolTip")


def test_opening_a_case_estimates_at_once(opened, readers):
    exact = slicer.util.arrayFromVolume(readers["exact"])
    assert np.array_equal(opened.truth.truth, exact)
    node = opened.case.folder.find(Role.TRUTH)
    assert node.GetClassName() == "vtkMRMLSegmentationNode"


def test_another_method_estimates_again(opened):
    choose(opened, "staple")
    first = opened.case.folder.find(Role.PROBABILITY).GetMTime()
    choose(opened, "mean")
    assert opened.case.folder.find(Role.PROBABILITY).GetMTime() > first


def test_without_at_once_nothing_happens_before_the_button_is_pressed(opened):
    ui_of(opened).liveBox.setChecked(False)
    before = opened.truth.truth
    opened.caseSection._ui.annotatorTable.item(0, 0).setCheckState(Qt.CheckState.Unchecked)
    assert opened.truth.truth is before
    ui_of(opened).estimateButton.click()
    assert opened.truth.truth is not before


def test_with_nobody_ticked_the_panel_asks_for_somebody(opened):
    table = opened.caseSection._ui.annotatorTable
    for row in range(3):
        table.item(row, 0).setCheckState(Qt.CheckState.Unchecked)
    ui = ui_of(opened)
    assert not ui.estimateButton.property("enabled")
    assert ui.estimateButton.property("toolTip") == "Tick at least one annotator."


def test_the_veil_is_drawn_and_taken_away(opened):
    ui_of(opened).veilBox.setChecked(True)
    assert opened.case.folder.find(Role.VEIL) is not None
    ui_of(opened).veilBox.setChecked(False)
    assert opened.case.folder.find(Role.VEIL) is None


def test_edited_outlines_are_read_again_when_the_button_is_pressed(opened, readers):
    array = slicer.util.arrayFromVolume(readers["exact"])
    array[:] = 0
    slicer.util.arrayFromVolumeModified(readers["exact"])
    ui_of(opened).estimateButton.click()
    assert opened.case.labels()["exact"].max() == 0


def test_a_model_is_asked_for(opened):
    choose(opened, "model")
    ui = ui_of(opened)
    assert not ui.modelPath.isHidden()
    assert "Choose a trained model" in ui.estimateButton.property("toolTip")
    ui.modelPath.currentPath = "/nowhere/model.nlseg"
    assert "does not exist" in ui.estimateButton.property("toolTip")


def test_in_a_large_case_probabilities_wait_for_the_veil(opened, monkeypatch):
    monkeypatch.setattr("NoisyLabelSegLib.widget.truth_logic.LARGE_VOXELS", 10)
    choose(opened, "majority")
    assert opened.case.folder.find(Role.PROBABILITY) is None
    ui_of(opened).veilBox.setChecked(True)
    first = opened.case.folder.find(Role.PROBABILITY)
    assert first is not None
    choose(opened, "mean")
    assert opened.case.folder.find(Role.VEIL) is not None, "the veil follows the method while it is shown"
