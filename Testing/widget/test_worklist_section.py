"""The section that steps a reader through a package."""

from __future__ import annotations

import json

import numpy as np
import pytest
import slicer

from NoisyLabelSegLib.cases import Case, Geometry, Image, Study, read_labels, write_image
from NoisyLabelSegLib.reader_study import collect, hand_out
from NoisyLabelSegLib.scene.outlines import fillAnnotator

GRID = Geometry((6, 20, 24), (0.8, 0.7, 2.5), (-30.5, 12.0, 101.0), (1.0, 0, 0, 0, -1.0, 0, 0, 0, 1.0))


@pytest.fixture
def package(tmp_path):
    """Four scans, handed out to anna; two classes besides the background."""
    cases = []
    for number in range(4):
        image = np.full(GRID.shape, number, np.int16)
        write_image(tmp_path / "study" / f"p{number}" / "ct.nrrd", Image(image, GRID))
        cases.append(Case(f"p{number}", (tmp_path / "study" / f"p{number}" / "ct.nrrd",)))
    study = Study("hidden", ("background", "core", "rim"), ("senior",), tuple(cases))
    study.write(tmp_path / "study")
    hand_out(Study.read(tmp_path / "study"), ["anna"], tmp_path / "out", repeats=0.25, seed=1)
    return tmp_path / "out" / "anna"


@pytest.fixture
def section(module, package):
    section = module.panel.readerStudy.worklistSection
    section.logic._clock = iter(range(0, 10_000, 7)).__next__  # seven seconds from tick to tick
    section._ui.worklistPath.currentPath = str(package)
    section._ui.worklistOpenButton.click()
    assert section._ui.worklistMessage.property("text") == ""
    return section


def draw(section, label):
    labels = np.zeros(GRID.shape, np.uint8)
    labels[2:4, 5:9, 6:12] = label
    fillAnnotator(section.logic.drawing, "anna", 0, labels, GRID, ("background", "core", "rim"))
    return labels


def content(package):
    return json.loads((package / "worklist.json").read_text(encoding="utf-8"))["cases"]


def test_the_first_case_opens_with_an_empty_segmentation_of_all_classes(section, package):
    ui = section._ui
    assert "case 1 of 5, 0 finished" in ui.worklistState.property("text")
    node = section.logic.drawing
    names = [node.GetSegmentation().GetNthSegment(number).GetName() for number in range(2)]
    assert names == ["core", "rim"]
    assert not ui.worklistPrevious.property("enabled")
    assert ui.worklistPrevious.property("toolTip") == "<p>This is the first case.</p>"
    assert content(package)[0]["seconds"] is None


def test_what_was_drawn_is_written_with_time_and_state(section, package):
    drawn = draw(section, 2)
    section.onTick()
    section.onTick()
    section._ui.worklistFinished.click()
    entry = content(package)[0]
    written = read_labels(package / entry["labels"])
    assert np.array_equal(written.array, drawn)
    assert not written.geometry.differences(GRID)
    assert (entry["finished"], entry["seconds"]) == (True, 14.0)
    assert entry["started"][:2] == "20"
    section._ui.worklistNext.click()
    assert "case 2 of 5, 1 finished" in section._ui.worklistState.property("text")
    assert section._ui.worklistTime.property("text") == "0:00"
    section._ui.worklistPrevious.click()
    assert section._ui.worklistFinished.property("checked")
    assert section._ui.worklistTime.property("text") == "0:14"
    assert np.array_equal(read_labels(package / entry["labels"]).array, drawn)


def test_only_one_case_is_in_the_scene_and_pauses_do_not_count(section, package):
    section._ui.worklistPause.click()
    for _ in range(5):
        section.onTick()
    section._ui.worklistPause.click()
    section.onTick()
    section._ui.worklistNext.click()
    assert content(package)[0]["seconds"] == 7.0
    assert content(package)[0]["finished"] is False
    assert len(slicer.util.getNodesByClass("vtkMRMLSegmentationNode")) == 1
    assert len(slicer.util.getNodesByClass("vtkMRMLScalarVolumeNode")) == 1


def test_work_goes_on_where_it_stopped_and_can_be_collected(module, section, package, tmp_path):
    draw(section, 1)
    section._ui.worklistFinished.click()
    section._ui.worklistNext.click()
    drawn = draw(section, 2)
    module.panel.leaveScene()  # closing the scene saves the case
    assert np.array_equal(read_labels(package / content(package)[1]["labels"]).array, drawn)
    section._ui.worklistOpenButton.click()
    assert "case 2 of 5, 1 finished" in section._ui.worklistState.property("text")
    found = collect([package], tmp_path / "study")
    assert found.added == 1
    assert (found.progress[0]["finished"], found.progress[0]["begun"]) == (1, 1)


@pytest.mark.parametrize("spoil", ["{", '{"format": "noisylabelseg-worklist/1"}', "[]"])
def test_a_broken_package_is_explained(module, package, spoil):
    section = module.panel.readerStudy.worklistSection
    (package / "worklist.json").write_text(spoil, encoding="utf-8")
    section._ui.worklistPath.currentPath = str(package)
    section._ui.worklistOpenButton.click()
    assert "worklist.json" in section._ui.worklistMessage.property("text")
    assert not section.logic.isOpen


def test_a_deleted_segmentation_is_explained_and_the_file_stays(section, package):
    draw(section, 1)
    section._ui.worklistSave.click()
    before = read_labels(package / content(package)[0]["labels"]).array
    slicer.mrmlScene.RemoveNode(section.logic.drawing)
    section._ui.worklistSave.click()
    assert "was deleted" in section._ui.worklistMessage.property("text")
    assert np.array_equal(read_labels(package / content(package)[0]["labels"]).array, before)
