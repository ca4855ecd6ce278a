"""A segmentation of the scene as the reference, in place of an estimate."""

from __future__ import annotations

import numpy as np
import pytest
import slicer
from PySide6.QtCore import Qt

from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.scene.references import KNOWN
from Testing.widget.nodes import edit, labelmap, segmentation


def ui_of(panel):
    return panel.truthSection._ui


def text(widget):
    return widget.property("text")


def offered(panel):
    combo = ui_of(panel).methodSelector
    titles = [combo.itemText(place) for place in range(combo.model().rowCount())]
    return [title for title in titles if title.startswith("Reference: ")]


def choose(panel, title):
    combo = ui_of(panel).methodSelector
    combo.setProperty("currentIndex", combo.findText(f"Reference: {title}"))


def dice(panel):
    panel.annotatorsSection.review()
    return {row.annotator: row.dice for row in panel.annotators.rows()}


@pytest.fixture
def demo(module, monkeypatch):
    monkeypatch.setattr("NoisyLabelSegLib.widget.opening.DEMO_SIZE", (48, 48, 10))
    module.panel.caseSection._ui.demoButton.click()
    return module.panel


def test_the_known_truth_of_the_demo_case_is_one_click_from_the_estimate(demo):
    estimate = demo.truth.truth.copy()
    button = ui_of(demo).knownTruthButton
    assert not button.isHidden()
    button.click()
    known = demo.case.folder.find(Role.KNOWN_TRUTH)
    assert known is not None
    assert dice(demo)["good"] > 0.9
    assert not np.array_equal(demo.truth.truth, estimate)
    assert demo.truth.described() == "the known truth of the case"
    assert text(button) == "Back to the estimate"
    button.click()
    assert np.array_equal(demo.truth.truth, estimate)


def test_without_a_known_truth_there_is_no_such_button(opened):
    assert ui_of(opened).knownTruthButton.isHidden()


def test_an_annotator_s_own_segmentation_can_be_the_reference(opened, readers):
    assert offered(opened) == ["Reference: exact", "Reference: wide", "Reference: misses"]
    choose(opened, "wide")
    assert np.array_equal(opened.truth.truth, slicer.util.arrayFromVolume(readers["wide"]))
    assert dice(opened)["wide"] == 1
    assert opened.annotators.sentence("wide") == "wide is the reference."
    assert text(ui_of(opened).truthMessage) == "The reference is wide, as drawn."
    assert opened.truth.described() == "the segmentation of wide"


def test_an_expert_who_is_no_annotator_can_be_the_reference(opened, volume):
    mask = np.zeros((12, 24, 24), dtype=bool)
    mask[3:8, 4:10, 4:10] = True
    segmentation("expert", {"nodule": mask}, volume)
    labelmap(255 * mask.astype(np.uint8), "senior")
    opened.truthSection.update()
    assert offered(opened)[-2:] == ["Reference: senior", "Reference: expert"]
    for name in ("expert", "senior"):
        choose(opened, name)
        assert np.array_equal(opened.truth.truth > 0, mask)
        assert opened.truth.truth.max() == 1
    assert opened.case.annotators == ("exact", "wide", "misses")


def test_the_reference_is_kept_with_the_scene(host, opened, tmp_path):
    choose(opened, "wide")
    reference = opened.truth.truth.copy()
    assert slicer.mrmlScene.WriteToMRB(str(tmp_path / "scene.mrb"))
    host.close_scene()
    assert slicer.mrmlScene.ReadFromMRB(str(tmp_path / "scene.mrb"), True)
    assert text_of_method(opened) == "Reference: wide"
    assert np.array_equal(opened.truth.truth, reference)


def text_of_method(panel):
    return ui_of(panel).methodSelector.property("currentText")


def test_the_reference_follows_edits_of_the_segmentation(host, opened, readers):
    choose(opened, "wide")
    array = slicer.util.arrayFromVolume(readers["wide"])
    array[:, 12:] = 0
    slicer.util.arrayFromVolumeModified(readers["wide"])
    host.wait_for(lambda: not opened.truth.truth[:, 12:].any(), seconds=1)


def test_an_edited_truth_is_replaced_after_a_question_and_its_copy_can_be_the_reference(host, opened):
    count = edit(opened)
    host.answers.consents.append(True)
    choose(opened, "wide")
    opened.truthSection.onEstimate()
    assert "A copy of it stays in the scene" in host.answers.shown[-1][1]
    choose(opened, "scan earlier truth 1")
    assert np.count_nonzero(opened.truth.truth) == count


def test_a_declined_question_leaves_the_method_as_it_was(host, demo):
    edit(demo)
    host.answers.consents.append(False)
    ui_of(demo).knownTruthButton.click()
    assert text_of_method(demo) == "Weighted majority"
    assert demo.truth.isEdited
    assert demo.truth.record.method != KNOWN


@pytest.mark.parametrize(("ignored", "words"), [(1, "from two readers"), (2, "labels alone")])
def test_a_truth_from_few_readers_says_so(opened, ignored, words):
    table = opened.caseSection._ui.annotatorTable
    for row in range(ignored):
        table.item(row, 0).setCheckState(Qt.CheckState.Unchecked)
    assert words in text(ui_of(opened).truthMessage)
