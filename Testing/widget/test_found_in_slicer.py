"""Defects 1 to 15, seen inside the real application with the demo case; each test is named after its number."""

from __future__ import annotations

import numpy as np
import pytest
import slicer

from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.widget.scripting import fuseNodes
from Testing.widget.nodes import labelmap, segmentation


def reopen(host, path):
    """Saves the scene, closes it and opens it again while the panel is in front."""
    from NoisyLabelSegLib.scene.headless import saveScene

    saveScene(slicer.mrmlScene, path)
    host.close_scene()
    assert slicer.mrmlScene.ReadFromMRB(str(path), True)
    host.qt_application.processEvents()


@pytest.fixture
def study_case(module, tmp_path):
    """The panel with a case of a study with class names."""
    from NoisyLabelSegLib.cli import main

    folder = tmp_path / "study"
    assert main(["simulate", "lesions", "--cases", "1", "--size", "32,32,8", "--out", str(folder)]) == 0
    module.panel.opening.openPath(folder / "study.json")
    return module.panel


def test_2_adding_from_the_scene_leaves_a_case_in_its_study(study_case):
    panel = study_case
    before, image, classes = panel.case.folder, panel.case.folder.image, panel.case.classes
    labelmap(panel.case.labels()[panel.case.annotators[0]].copy(), "late reader").CopyOrientation(image)
    panel.case.addFromScene()
    assert (panel.case.folder.case, panel.case.folder.study) == (before.case, before.study)
    assert panel.case.folder.image is image
    assert "late reader" in panel.case.annotators
    assert panel.case.classes == classes


def test_2_a_script_that_fuses_a_volume_of_a_study_puts_the_truth_into_its_case(study_case):
    folder = study_case.case.folder
    nodes = folder.nodes(Role.ANNOTATOR)
    truth = fuseNodes(slicer.mrmlScene, folder.image, nodes, "majority")
    assert folder.find(Role.TRUTH) is truth
    assert len(CaseFolder.all(slicer.mrmlScene)) == 1


def test_1_one_view_each_shows_a_scan_that_is_far_from_the_origin(opened, host):
    opened.case.folder.image.SetOrigin(0.0, 0.0, -900.0)
    for node in opened.case.folder.nodes(Role.ANNOTATOR):
        node.SetOrigin(0.0, 0.0, -900.0)
    opened.case.refresh()
    opened.annotatorsSection.review()
    opened.annotatorsSection._ui.statisticsTable.selectRow(1)
    opened.annotatorsSection._ui.oneViewEachBox.setProperty("checked", True)
    for _round in range(3):
        host.qt_application.processEvents()
    for number in (1, 2, 3):
        node = slicer.mrmlScene.GetNodeByID(f"vtkMRMLSliceNodeNoisyLabelSeg{number}")
        assert -900 <= node.GetSliceOffset() <= -888


def test_3_class_names_are_kept_when_a_scene_is_opened_in_front_of_the_panel(study_case, host, tmp_path):
    classes = study_case.case.classes
    assert classes[1] == "lesion"
    reopen(host, tmp_path / "scene.mrb")
    assert study_case.case.classes == classes


def test_3_class_names_come_back_with_the_volume_of_a_case(study_case):
    """Slicer's selector announces no volume, and then the volume again, while a scene is opened."""
    image, classes = study_case.case.folder.image, study_case.case.classes
    study_case.case.chooseVolume(None)
    study_case.case.chooseVolume(image)
    assert study_case.case.classes == classes


def test_4_a_scene_that_is_opened_again_keeps_the_positions_of_its_views(opened, host, tmp_path, monkeypatch):
    reset = []
    monkeypatch.setattr(slicer.app.layoutManager(), "resetSliceViews", lambda: reset.append(True))
    red = slicer.mrmlScene.GetNodeByID("vtkMRMLSliceNodeRed")
    red.SetSliceOffset(7.0)
    red.SetFieldOfView(40.0, 40.0, 1.0)
    reopen(host, tmp_path / "scene.mrb")
    host.wait_for(lambda: not opened.annotatorsSection.isReviewing)
    red = slicer.mrmlScene.GetNodeByID("vtkMRMLSliceNodeRed")
    assert not reset, "a reset fits the views to the image"
    assert red.GetSliceOffset() == pytest.approx(7)
    assert red.GetFieldOfView()[0] == pytest.approx(40)


def test_6_one_view_each_stays_at_the_error_that_is_described(opened, host):
    section = opened.annotatorsSection
    section._ui.statisticsTable.selectRow(2)
    section.onNext()
    place = opened.annotators.mistakes(section.annotator)[0].center
    section._ui.oneViewEachBox.setProperty("checked", True)
    host.qt_application.processEvents()
    node = slicer.mrmlScene.GetNodeByID("vtkMRMLSliceNodeNoisyLabelSeg1")
    assert node.GetSliceOffset() == pytest.approx(place[2], abs=0.6)
    section._ui.oneViewEachBox.setProperty("checked", False)
    host.qt_application.processEvents()
    red = slicer.mrmlScene.GetNodeByID("vtkMRMLSliceNodeRed")
    assert red.GetSliceOffset() == pytest.approx(place[2], abs=0.6)


def test_6_people_can_go_on_from_the_error_after_one_view_each(opened, host):
    """The views are put at the error once, and not again and again."""
    section = opened.annotatorsSection
    section._ui.statisticsTable.selectRow(2)
    for each in (True, False):
        section._ui.oneViewEachBox.setProperty("checked", each)
        host.qt_application.processEvents()
    red = slicer.mrmlScene.GetNodeByID("vtkMRMLSliceNodeRed")
    red.SetSliceOffset(1.0)
    for _round in range(5):
        host.qt_application.processEvents()
    assert red.GetSliceOffset() == pytest.approx(1)


def test_7_a_result_of_ours_is_no_volume_to_open(opened):
    probability = opened.case.folder.find(Role.PROBABILITY)
    assert probability is not None
    opened.case.chooseVolume(probability)
    assert not opened.case.isOpen


def test_7_deleting_the_volume_of_the_case_closes_the_case(opened, host):
    slicer.mrmlScene.RemoveNode(opened.case.folder.image)
    host.qt_application.processEvents()
    assert not opened.case.isOpen
    assert opened.caseSection._ui.volumeSelector.currentNode() is None


def test_8_without_a_main_window_the_errors_are_shown_and_one_view_each_says_why_not(opened):
    scene = slicer.mrmlScene
    layout = scene.GetFirstNodeByClass("vtkMRMLLayoutNode")
    scene.RemoveNode(layout)
    try:
        opened.annotatorsSection._ui.statisticsTable.selectRow(1)
        opened.annotatorsSection.onNext()
        opened.annotatorsSection._ui.oneViewEachBox.setProperty("checked", True)
        assert "main window" in opened.annotatorsSection._ui.annotatorsMessage.property("text")
        opened.annotatorsSection._ui.oneViewEachBox.setProperty("checked", False)
    finally:
        scene.AddNode(layout)


def test_9_hiding_one_segment_leaves_the_others_visible(module, volume):
    box = np.zeros((12, 24, 24), dtype=bool)
    box[3:8, 4:10, 4:10] = True
    segmentation("readers", {"ann": box, "ben": box, "cid": box}, volume)
    panel = module.panel
    panel.case.chooseVolume(volume)
    panel.case.addFromScene()
    if len(panel.case.annotators) == 1:
        pytest.skip("the segments were taken as classes of one annotator")
    first, second = panel.case.annotators[:2]
    panel.case.show(first, shown=False)
    assert not panel.case.isShown(first)
    assert panel.case.isShown(second)


def test_14_an_annotator_whose_node_is_deleted_leaves_the_table(opened, readers):
    slicer.mrmlScene.RemoveNode(readers["wide"])
    assert opened.case.annotators == ("exact", "misses")
    assert opened.caseSection._ui.annotatorTable.property("rowCount") == 2
