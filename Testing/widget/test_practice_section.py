"""Draw first, then reveal."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import slicer
from PySide6.QtCore import QSettings

from NoisyLabelSegLib.scene.colors import classColor
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.scene.segments import fillSegmentation
from Testing.color_vision import SIMULATIONS, difference, seen


def ui_of(panel):
    return panel.practiceSection._ui


def text(widget):
    return widget.property("text")


def record_file():
    return Path(QSettings().fileName()).parent / "NoisyLabelSeg-practice.json"


def draw(panel, labels):
    """What somebody draws in Segment Editor."""
    node = panel.case.folder.find(Role.DRAWING)
    names = panel.case.classes[1:]
    colors = [classColor(label) for label in range(1, len(names) + 1)]
    fillSegmentation(node, labels, panel.case.geometry, names, colors)


def visible_outlines(panel):
    roles = (Role.TRUTH, Role.OUTLINE, Role.ANNOTATOR)
    nodes = [node for node in panel.case.folder.nodes(*roles) if node.IsA("vtkMRMLSegmentationNode")]
    return [node.GetName() for node in nodes if node.GetDisplayNode().GetVisibility()]


class Editor:
    """What the panel asks of Segment Editor, which the host does not have."""

    def setSegmentationNode(self, node):
        self.segmentation = node

    def setSourceVolumeNode(self, node):
        self.image = node


@pytest.fixture
def practicing(host, opened):
    host.application.widgets["SegmentEditor"] = SimpleNamespace(editor=Editor())
    record_file().unlink(missing_ok=True)
    slicer.mrmlScene.AddNewNodeByClass("vtkMRMLSliceCompositeNode").SetLayoutName("Red")
    opened.annotatorsSection._ui.statisticsTable.selectRow(1)
    ui_of(opened).drawButton.click()
    yield opened
    record_file().unlink(missing_ok=True)
    del host.application.widgets["SegmentEditor"]


def test_until_it_is_revealed_neither_truth_nor_annotators_nor_errors_are_shown(host, practicing):
    composite = slicer.mrmlScene.GetFirstNodeByClass("vtkMRMLSliceCompositeNode")
    assert visible_outlines(practicing) == []
    assert not composite.GetLabelVolumeID()
    assert not composite.GetForegroundVolumeID()
    for section in (practicing.truthSection, practicing.annotatorsSection, practicing.displaySection):
        children = vars(type(section._ui)) | vars(section._ui)
        widget = next(value for name, value in children.items() if name.endswith("Section"))
        assert widget.parent().isHidden()
    assert practicing.caseSection._ui.annotatorTable.isHidden()
    assert practicing.readerStudy.agreementWidget.isHidden()
    practicing.truthSection.onEstimate()
    host.wait_for(lambda: not practicing.annotatorsSection.isReviewing)
    assert visible_outlines(practicing) == [], "a new estimate is hidden too"
    assert not composite.GetLabelVolumeID()


def test_the_drawing_is_opened_in_segment_editor(host, practicing):
    editor = host.application.widgets["SegmentEditor"].editor
    assert editor.segmentation is practicing.case.folder.find(Role.DRAWING)
    assert editor.image is practicing.case.folder.image


def test_nothing_is_revealed_before_something_is_drawn(practicing):
    ui_of(practicing).revealButton.click()
    assert "Nothing is drawn yet" in text(ui_of(practicing).practiceMessage)
    assert practicing.practice.isHidden
    assert not record_file().exists()


def test_revealing_shows_everything_with_a_score_against_the_spread(practicing):
    drawn = np.array(practicing.case.labels()["misses"])
    drawn[3:8, 3:11, 3:11] = 1  # as `wide` drew the first box: within the spread
    draw(practicing, drawn)
    ui_of(practicing).revealButton.click()
    words = text(ui_of(practicing).scoreText)
    assert "your Dice is 1.000" in words, "experts disagree on everything that was drawn or left out"
    assert "Errors outside their spread: 0." in words
    assert len(visible_outlines(practicing)) == 1
    composite = slicer.mrmlScene.GetFirstNodeByClass("vtkMRMLSliceCompositeNode")
    own = practicing.case.folder.find(Role.ERRORS, annotator="my drawing")
    assert composite.GetLabelVolumeID() == own.GetID()
    assert not practicing.caseSection._ui.annotatorTable.isHidden()


def test_errors_outside_the_spread_are_listed_and_gone_to_one_by_one(practicing):
    drawn = np.array(practicing.case.labels()["exact"])
    drawn[3:8, 4:10, 4:10] = 0  # everybody marked this box
    drawn[9:11, 0:3, 0:12] = 1  # nobody marked this
    draw(practicing, drawn)
    ui_of(practicing).revealButton.click()
    table = ui_of(practicing).practiceTable
    assert [table.item(row, 0).text() for row in range(2)] == ["missed", "false mark"]
    table.selectRow(1)
    assert "not there" in text(ui_of(practicing).practiceMistakeText)
    crosshair = slicer.mrmlScene.GetFirstNodeByClass("vtkMRMLCrosshairNode")
    assert 9 <= crosshair.GetCrosshairRAS()[2] <= 10
    assert "your Dice is 0.000" in text(ui_of(practicing).scoreText)


def test_trying_again_keeps_the_drawing_and_starting_anew_does_not(practicing):
    drawn = np.array(practicing.case.labels()["exact"])
    draw(practicing, drawn)
    ui_of(practicing).revealButton.click()
    ui_of(practicing).retryButton.click()
    assert practicing.practice.isHidden
    assert practicing.case.folder.find(Role.ERRORS, annotator="my drawing") is None
    ui_of(practicing).revealButton.click()
    assert practicing.practice.score is not None
    ui_of(practicing).eraseButton.click()
    ui_of(practicing).revealButton.click()
    assert "Nothing is drawn yet" in text(ui_of(practicing).practiceMessage)


def test_progress_is_kept_per_user_without_names_and_can_be_exported_and_deleted(host, practicing, tmp_path):
    for _attempt in range(2):
        draw(practicing, np.array(practicing.case.labels()["wide"]))
        ui_of(practicing).revealButton.click()
        ui_of(practicing).retryButton.click()
    content = record_file().read_text()
    assert len(json.loads(content)["attempts"]) == 2
    assert "scan" not in content
    assert "wide" not in content
    assert "Attempts so far: 2; cases: 1" in text(ui_of(practicing).progressText)
    ui_of(practicing).progressButton.click()
    chart = slicer.mrmlScene.GetFirstNodeByClass("vtkMRMLPlotChartNode")
    assert chart.GetNumberOfPlotSeriesNodes() == 2
    host.answers.paths.append(str(tmp_path / "progress.csv"))
    ui_of(practicing).exportProgressButton.click()
    rows = list(csv.DictReader((tmp_path / "progress.csv").open()))
    assert [row["case"] for row in rows] == ["case 1", "case 1"]
    host.answers.consents.append(True)
    ui_of(practicing).deleteProgressButton.click()
    assert not record_file().exists()


def test_a_saved_scene_comes_back_with_the_answer_still_hidden(host, practicing, tmp_path):
    saved = str(tmp_path / "scene.mrb")
    assert slicer.mrmlScene.WriteToMRB(saved)
    host.close_scene()
    assert slicer.mrmlScene.ReadFromMRB(saved, True)
    assert practicing.practice.isHidden
    assert visible_outlines(practicing) == []
    assert practicing.caseSection._ui.annotatorTable.isHidden()


def test_without_annotators_there_is_nothing_to_practice_on(module):
    ui = module.panel.practiceSection._ui
    assert not ui.drawButton.property("enabled")
    assert "Open a case" in ui.drawButton.property("toolTip")


def test_the_trainees_lines_differ_from_those_of_the_truth_once_it_is_revealed(practicing):
    from NoisyLabelSegLib.widget.practice_logic import DRAWING_COLOR

    draw(practicing, np.array(practicing.case.labels()["exact"]))
    node, truth = (practicing.case.folder.find(role) for role in (Role.DRAWING, Role.TRUTH))
    id = node.GetSegmentation().GetNthSegmentID(0)

    def color(shown):
        found = [0.0] * 3
        shown.GetDisplayNode().GetSegmentColor(shown.GetSegmentation().GetNthSegmentID(0), found)
        return found

    own = color(node)
    ui_of(practicing).revealButton.click()
    assert color(node) == pytest.approx(DRAWING_COLOR)
    for kind in SIMULATIONS:
        assert difference(seen(color(node), kind), seen(color(truth), kind)) > 40, kind
    assert "Magenta lines are your drawing" in text(ui_of(practicing).scoreText)
    ui_of(practicing).retryButton.click()
    assert color(node) == pytest.approx(own)
    assert id == node.GetSegmentation().GetNthSegmentID(0)
