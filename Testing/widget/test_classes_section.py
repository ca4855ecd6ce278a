"""Names of annotators and classes, labels that may mean the same, one structure after the other."""

from __future__ import annotations

import numpy as np
import pytest
import slicer
from PySide6.QtCore import Qt

from NoisyLabelSegLib.scene.arrays import arrayOf
from NoisyLabelSegLib.scene.colors import legendOf
from NoisyLabelSegLib.scene.nodes import Role
from Testing.widget.nodes import labelmap, segmentation

NAME = 0


def text(widget):
    return widget.property("text")


def box(value=1, *, shift=0):
    array = np.zeros((12, 24, 24), dtype=np.uint8)
    array[3:8, 4 + shift : 10 + shift, 4:10] = value
    return array


def open_case(module, volume):
    module.panel.case.chooseVolume(volume)
    module.panel.case.addFromScene()
    return module.panel


def classes_in_table(panel):
    table = panel.classesSection._ui.classTable
    return [(table.item(row, 0).text(), table.item(row, 1).text()) for row in range(table.model().rowCount())]


@pytest.fixture
def different_values(module, volume):
    """Annotators a and c use 1, and b uses 7 for the same structure."""
    for name, value in (("a", 1), ("b", 7), ("c", 1)):
        labelmap(box(value), name)
    return open_case(module, volume)


def test_different_values_for_one_structure_are_asked_about_before_anything_is_fused(different_values):
    panel = different_values
    ui = panel.classesSection._ui
    assert "b uses class 7 (value 7) where others use class 1 (value 1)" in text(ui.questionText)
    assert not ui.classesSection.collapsed
    assert panel.truth.truth is None
    assert "Say under Classes first" in panel.truthSection._ui.estimateButton.toolTip()


def test_taken_as_one_they_are_one_class_and_fused(different_values):
    panel = different_values
    panel.classesSection._ui.matchButton.click()
    assert panel.case.classes == ("background", "foreground")
    assert np.array_equal(panel.truth.truth, box(1))
    assert not panel.classesSection._ui.matchButton.isVisibleTo(panel.classesSection._ui.matchButton.parent())
    assert classes_in_table(panel) == [("foreground", "3")]


def test_kept_apart_they_stay_classes_of_their_own(different_values):
    panel = different_values
    panel.classesSection._ui.apartButton.click()
    assert len(panel.case.classes) == 8
    assert panel.truth.truth is not None


def test_what_was_said_about_classes_is_saved_with_the_scene(host, different_values, tmp_path):
    panel = different_values
    panel.classesSection._ui.matchButton.click()
    saved = str(tmp_path / "scene.mrb")
    assert slicer.mrmlScene.WriteToMRB(saved)
    host.close_scene()
    assert slicer.mrmlScene.ReadFromMRB(saved, True)
    assert panel.case.classes == ("background", "foreground")
    assert text(panel.classesSection._ui.questionText) == ""


def test_spelling_variants_of_segments_are_asked_about(module, volume):
    mask, other = box().astype(bool), box(shift=8).astype(bool)
    segmentation("ann", {"Edema": mask, "core": other}, volume)
    segmentation("ben", {"Oedema": mask, "core": other}, volume)
    panel = open_case(module, volume)
    assert "Oedema and Edema differ only by spelling" in text(panel.classesSection._ui.questionText)
    panel.classesSection._ui.matchButton.click()
    assert panel.case.classes == ("background", "Edema", "core")
    ann, ben = panel.case.labels().values()
    assert np.array_equal(ann, ben)


def test_the_name_of_a_segment_that_everybody_uses_is_the_name_of_the_class(module, volume):
    for name in ("ann", "ben"):
        segmentation(name, {"nodule": box().astype(bool)}, volume)
    panel = open_case(module, volume)
    assert panel.case.classes == ("background", "nodule")
    truth = panel.case.folder.find(Role.TRUTH)
    assert truth.GetSegmentation().GetNthSegment(0).GetName() == "nodule"


def test_a_class_is_renamed_in_the_table(opened):
    table = opened.classesSection._ui.classTable
    table.item(0, NAME).setText("lesion")
    assert opened.case.classes == ("background", "lesion")
    assert opened.case.folder.find(Role.TRUTH).GetSegmentation().GetNthSegment(0).GetName() == "lesion"
    table.item(0, NAME).setText("nodule")
    assert opened.case.classes == ("background", "nodule")
    table.item(0, NAME).setText("background")
    assert opened.case.classes == ("background", "nodule")
    assert "choose another name" in text(opened.classesSection._ui.classesMessage)


def test_an_annotator_is_renamed_in_the_table(opened):
    table = opened.caseSection._ui.annotatorTable
    table.item(2, NAME).setCheckState(Qt.CheckState.Unchecked)
    table.item(2, NAME).setText("Dr. Miller")
    assert opened.case.annotators == ("exact", "wide", "Dr. Miller")
    assert opened.case.used == ("exact", "wide")
    opened.annotatorsSection.review()
    assert [row.annotator for row in opened.annotators.rows()] == ["exact", "wide", "Dr. Miller"]
    assert opened.case.folder.find(Role.ERRORS, annotator="Dr. Miller") is not None
    table.item(1, NAME).setText("Exact")
    assert opened.case.annotators == ("exact", "wide", "Dr. Miller")
    assert table.item(1, NAME).text() == "wide"
    assert "choose another name" in text(opened.caseSection._ui.caseMessage)


@pytest.fixture
def several(module, volume):
    """Two structures, of which cid marks the second as the first."""
    labels = box(1) + box(2, shift=10)
    wrong = box(1) + box(1, shift=10)
    for name, array in (("ann", labels), ("ben", labels), ("cid", wrong)):
        labelmap(array, name)
    panel = open_case(module, volume)
    panel.annotatorsSection.review()
    return panel


def test_structures_come_one_after_the_other_with_the_others_half_transparent(several):
    ui = several.classesSection._ui
    ui.nextStructureButton.click()
    assert several.annotators.shownClass == "class 1"
    ui.nextStructureButton.click()
    assert several.annotators.shownClass == "class 2"
    display = several.case.folder.find(Role.TRUTH).GetDisplayNode()
    segmentation_ = several.case.folder.find(Role.TRUTH).GetSegmentation()
    first, second = (segmentation_.GetSegmentIdBySegmentName(name) for name in ("class 1", "class 2"))
    assert display.GetSegmentOpacity2DOutline(first) == 0.5
    assert display.GetSegmentOpacity2DOutline(second) == 1.0
    assert several.annotatorsSection._ui.classSelector.property("currentText") == "class 2"
    ui.previousStructureButton.click()
    assert several.annotators.shownClass == "class 1"


def test_a_view_shows_the_structure_that_was_stepped_to(several):
    node = slicer.vtkMRMLSliceNode()
    node.SetLayoutName("Yellow")
    node.SetSingletonTag("Yellow")
    node = slicer.mrmlScene.AddNode(node)
    node.SetOrientation("Coronal")
    several.structures.show("class 2")
    assert node.GetSliceToRAS().GetElement(1, 3) == pytest.approx(16.5, abs=0.6)


def test_the_wrong_class_has_a_column_where_there_are_several_classes(several):
    table = several.annotatorsSection._ui.statisticsTable
    titles = [table.horizontalHeaderItem(column).text() for column in range(table.model().columnCount())]
    assert titles == ["Name", "Dice", "Missed\nml", "Extra\nml", "Wrong\nml"]
    assert table.item(2, 4).text() == "0.18"


def red_view():
    node = slicer.vtkMRMLSliceNode()
    node.SetLayoutName("Red")
    node.SetSingletonTag("Red")
    slicer.mrmlScene.AddNode(node)
    slicer.mrmlScene.AddNewNodeByClass("vtkMRMLSliceCompositeNode").SetLayoutName("Red")
    return slicer.mrmlScene.GetFirstNodeByClass("vtkMRMLSliceCompositeNode")


def choose_class(panel, name):
    combo = panel.annotatorsSection._ui.classSelector
    combo.setProperty("currentIndex", combo.findData(name))
    combo.activated.emit(combo.property("currentIndex"))


def shown_errors(composite):
    return slicer.mrmlScene.GetNodeByID(composite.GetLabelVolumeID() or "")


def test_the_views_show_the_errors_of_the_class_that_is_chosen(several):
    composite = red_view()
    several.annotatorsSection._ui.statisticsTable.selectRow(2)  # cid marks the second structure as the first
    both = shown_errors(composite)
    assert set(np.unique(arrayOf(both))) == {0, 1, 4}
    choose_class(several, "class 1")
    first = shown_errors(composite)
    assert first is several.case.folder.find(Role.ERRORS, annotator="cid", label="class 1")
    expected = np.where(box(1) > 0, 1, np.where(box(1, shift=10) > 0, 3, 0))
    np.testing.assert_array_equal(arrayOf(first), expected)
    choose_class(several, "class 2")
    second = shown_errors(composite)
    np.testing.assert_array_equal(arrayOf(second), 2 * (box(1, shift=10) > 0))
    labels = {node.GetAttribute("NoisyLabelSeg.label") for node in several.case.folder.nodes(Role.ERRORS)}
    assert labels == {None, "class 2"}, "the maps of the class before are gone"
    choose_class(several, "")
    assert shown_errors(composite) is both


def test_the_legend_of_one_class_names_it_and_has_no_line_for_a_wrong_class(several):
    red_view()
    several.annotatorsSection._ui.statisticsTable.selectRow(2)
    choose_class(several, "class 2")
    errors = several.case.folder.find(Role.ERRORS, annotator="cid", label="class 2")
    assert legendOf(errors).GetVisibility()
    assert legendOf(errors).GetTitleText() == "cid: class 2"
    assert not errors.GetDisplayNode().GetColorNode().GetColorDefined(4)
    assert not legendOf(several.case.folder.find(Role.ERRORS, annotator="cid")).GetVisibility()
    assert "Wrong class" not in [color.name for color in several.display.colors]


def test_one_view_each_shows_everybodys_errors_of_the_class(several):
    choose_class(several, "class 2")
    ui = several.annotatorsSection._ui
    ui.statisticsTable.selectRow(0)
    ui.oneViewEachBox.setChecked(True)
    ids = [f"vtkMRMLSliceCompositeNodeNoisyLabelSeg{number}" for number in (1, 2, 3)]
    shown = [shown_errors(slicer.mrmlScene.GetNodeByID(id)) for id in ids]
    assert [node.GetAttribute("NoisyLabelSeg.label") for node in shown] == ["class 2"] * 3
    assert [int((arrayOf(node) == 2).sum()) for node in shown] == [0, 0, 180]


def test_the_errors_of_a_class_follow_an_edit_and_another_truth(several):
    composite = red_view()
    several.annotatorsSection._ui.statisticsTable.selectRow(2)
    choose_class(several, "class 2")
    assert (arrayOf(shown_errors(composite)) == 2).any()
    method = several.truthSection._ui.methodSelector
    method.setProperty("currentIndex", method.findText("Reference: cid"))
    several.annotatorsSection.review()
    assert several.annotators.mapClass == "class 2"
    assert not arrayOf(shown_errors(composite)).any(), "cid is the reference now"


def test_stepping_to_a_structure_shows_its_errors_and_its_surface(several):
    composite = red_view()
    several.annotatorsSection._ui.statisticsTable.selectRow(2)
    several.displaySection._ui.surfaceBox.setChecked(True)
    several.classesSection._ui.nextStructureButton.click()
    assert shown_errors(composite).GetAttribute("NoisyLabelSeg.label") == "class 1"
    surface = several.case.folder.find(Role.DISTANCE)
    assert "cid class 1" in surface.GetName()
    assert surface.GetPolyData().GetBounds()[3] < 13, "of the other structure there is nothing"


def test_in_a_large_case_the_errors_of_a_class_are_made_between_events(host, several, monkeypatch):
    composite = red_view()
    several.annotatorsSection._ui.statisticsTable.selectRow(2)
    both = shown_errors(composite)
    monkeypatch.setattr("NoisyLabelSegLib.widget.work.LARGE_VOXELS", 100)
    choose_class(several, "class 2")
    assert several.annotatorsSection.isReviewing
    assert shown_errors(composite) is both, "nothing has been made yet"
    host.wait_for(lambda: not several.annotatorsSection.isReviewing)
    np.testing.assert_array_equal(arrayOf(shown_errors(composite)), 2 * (box(1, shift=10) > 0))
    assert text(several.annotatorsSection._ui.annotatorsMessage) == ""


@pytest.fixture
def between_events(several, monkeypatch):
    """The case counts as large, and the errors of a class are being made for everybody."""
    several.annotatorsSection._ui.statisticsTable.selectRow(2)
    several.annotatorsSection._ui.oneViewEachBox.setChecked(True)
    monkeypatch.setattr("NoisyLabelSegLib.widget.work.LARGE_VOXELS", 100)
    choose_class(several, "class 2")
    several.annotatorsSection._viewSteps._step()
    assert several.annotatorsSection._viewSteps.running
    return several


def test_another_case_ends_the_errors_of_a_class_that_are_being_made(host, between_events):
    panel = between_events
    panel.case.chooseVolume(slicer.util.addVolumeFromArray(np.zeros((12, 24, 24), dtype=np.int16), name="other"))
    host.wait_for(lambda: not panel.annotatorsSection.isReviewing)
    assert "did not work" not in text(panel.annotatorsSection._ui.annotatorsMessage)


def test_a_class_can_be_chosen_before_somebody_who_was_added_is_reviewed(several, monkeypatch):
    monkeypatch.setattr("NoisyLabelSegLib.widget.work.LARGE_VOXELS", 100)
    slicer.util.addVolumeFromArray(box(1), name="dora", nodeClassName="vtkMRMLLabelMapVolumeNode")
    several.case.addFromScene()
    several.case._runner.finish()
    assert "dora" in several.case.annotators
    choose_class(several, "class 2")
    assert [row.annotator for row in several.annotators.rows()] == ["ann", "ben", "cid"]
