"""Two references side by side."""

from __future__ import annotations

import numpy as np
import slicer

from NoisyLabelSegLib.scene.arrays import arrayOf
from NoisyLabelSegLib.scene.layout import LAYOUT_ID
from NoisyLabelSegLib.scene.nodes import Role


def ui_of(panel):
    return panel.compareSection._ui


def text(widget):
    return widget.property("text")


def choose(combo, name):
    place = combo.findData(name)
    assert place >= 0
    combo.setProperty("currentIndex", place)


def node(kind, place):
    return slicer.mrmlScene.GetNodeByID(f"vtkMRML{kind}NodeNoisyLabelSeg{place}")


def test_before_a_case_is_open_there_is_nothing_to_compare(module):
    assert not ui_of(module.panel).compareButton.property("enabled")


def test_an_expert_and_a_method_are_shown_in_linked_views_with_their_differences(opened):
    ui = ui_of(opened)
    choose(ui.firstSelector, "majority")
    choose(ui.secondSelector, "scene:annotator:misses")
    ui.compareButton.click()
    difference = opened.case.folder.find(Role.DIFFERENCE)
    for place in (1, 2):
        assert node("SliceComposite", place).GetLabelVolumeID() == difference.GetID()
        assert node("SliceComposite", place).GetLinkedControl()
    assert node("Slice", 1).GetLayoutLabel().startswith("Majority")
    assert node("Slice", 2).GetLayoutLabel() == "misses"
    assert int(np.count_nonzero(arrayOf(difference) == 3)) == 125, "the second box is in the first reference only"
    words = text(ui.compareText)
    assert f"Dice {2 * 180 / (180 + 305):.3f}" in words
    assert "only in the first 0.125 ml, only in the second 0 ml" in words
    outlines = [opened.case.folder.find(Role.REFERENCE, label=label) for label in ("first", "second")]
    shown = [each.GetDisplayNode().GetViewNodeIDs() for each in outlines]
    assert shown == [("vtkMRMLSliceNodeNoisyLabelSeg1",), ("vtkMRMLSliceNodeNoisyLabelSeg2",)]


def test_back_brings_the_views_and_the_errors_back(opened):
    slicer.mrmlScene.AddNewNodeByClass("vtkMRMLSliceCompositeNode").SetLayoutName("Red")
    opened.annotatorsSection._ui.statisticsTable.selectRow(1)
    layout = slicer.mrmlScene.GetFirstNodeByClass("vtkMRMLLayoutNode")
    before = layout.GetViewArrangement()
    ui = ui_of(opened)
    ui.compareButton.click()
    assert layout.GetViewArrangement() == LAYOUT_ID
    ui.compareBackButton.click()
    assert layout.GetViewArrangement() == before
    assert not opened.case.folder.nodes(Role.REFERENCE, Role.DIFFERENCE)
    composite = slicer.mrmlScene.GetFirstNodeByClass("vtkMRMLSliceCompositeNode")
    assert composite.GetLabelVolumeID() == opened.case.folder.find(Role.ERRORS, annotator="wide").GetID()
    assert opened.case.folder.find(Role.TRUTH).GetDisplayNode().GetVisibility()


def test_any_two_methods_can_be_compared(opened):
    ui = ui_of(opened)
    for first, second in (("staple", "mean"), ("current", "majority")):
        choose(ui.firstSelector, first)
        choose(ui.secondSelector, second)
        ui.compareButton.click()
        assert text(ui.compareText).startswith("Dice ")
        assert text(ui.compareMessage) == ""


def test_the_views_show_the_slice_in_which_the_two_differ_most(host, opened):
    ui = ui_of(opened)
    choose(ui.firstSelector, "majority")
    choose(ui.secondSelector, "scene:annotator:misses")
    ui.compareButton.click()
    host.qt_application.processEvents()  # in which Slicer sets the offset of new views to 0
    for place in (1, 2):
        offset = node("Slice", place).GetSliceOffset()
        assert 3 <= offset <= 7, "the second box, which only the first reference marks, is in slices 3 to 7"
    titles = [each.GetTitleText() for each in slicer.mrmlScene.GetNodes() if each.IsA("vtkMRMLColorLegendDisplayNode")]
    assert "Differences" in titles
