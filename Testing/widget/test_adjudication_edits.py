"""Truths and outlines that are edited by hand, and what becomes of them while somebody decides."""

from __future__ import annotations

import numpy as np
import slicer
from PySide6.QtCore import Qt

from NoisyLabelSegLib.scene.nodes import Role
from Testing.widget.adjudicating import (
    DECISION,
    paint,
    reader_buttons,
    rows,
    scores,
    scores_now,
    text,
    ui_of,
)
from Testing.widget.nodes import edit


def test_edit_opens_segment_editor_and_what_is_painted_is_the_decision(host, deciding, segment_editor):
    ui_of(deciding).editButton.click()
    assert segment_editor.segmentation is deciding.case.folder.find(Role.TRUTH)
    assert segment_editor.volume is deciding.case.folder.image
    paint(deciding, slice(3, 4), slice(3, 4), slice(3, 8))  # a part of the border of the first box
    edited = paint(deciding, slice(0, 2), slice(0, 5), slice(0, 5))  # and where all agree
    host.wait_for(lambda: rows(deciding)[1][DECISION] == "edited", seconds=2)
    assert np.array_equal(deciding.truth.truth, edited)
    assert [row[DECISION] for row in rows(deciding)] == ["", "edited"]
    assert not deciding.truth.isEdited, "the decisions know of the edit"
    ui_of(deciding).undoButton.click()
    assert deciding.truth.truth.sum() < edited.sum()


def test_an_edit_while_another_module_is_in_front_is_the_decision_when_people_come_back(
    module, deciding, segment_editor
):
    ui_of(deciding).editButton.click()
    module.exit()
    edited = paint(deciding, slice(3, 4), slice(3, 4), slice(3, 8))
    module.enter()
    assert segment_editor.segmentation is not None
    assert [row[DECISION] for row in rows(deciding)] == ["", "edited"]
    assert np.array_equal(deciding.truth.truth, edited)
    assert "edited by hand by Ann on 20" in deciding.truth.described()


def test_nothing_is_decided_where_nothing_was_edited(host, deciding, segment_editor):
    ui_of(deciding).editButton.click()
    assert segment_editor.segmentation is not None
    assert [row[DECISION] for row in rows(deciding)] == ["", ""]
    table = deciding.caseSection._ui.annotatorTable
    table.item(2, 0).setCheckState(Qt.CheckState.Unchecked)
    table.item(0, 0).setCheckState(Qt.CheckState.Unchecked)
    assert deciding.truth.record.annotators == ("wide",), "the estimate follows the ticks still"
    assert not host.answers.shown


def test_outlines_that_were_edited_in_another_module_are_fused_when_people_come_back(module, opened, readers):
    module.exit()
    array = slicer.util.arrayFromVolume(readers["wide"])
    array[:] = 0
    slicer.util.arrayFromVolumeModified(readers["wide"])
    module.enter()
    assert not opened.truth.truth[:, 12:, 12:].any()


def test_an_edit_of_the_truth_is_scored_within_a_second(host, opened):
    before = scores(opened)["exact"]
    edit(opened)
    host.wait_for(lambda: not opened.annotatorsSection.isReviewing and scores_now(opened) != before, seconds=1)
    assert scores_now(opened) < before
    assert opened.truth.isEdited


def test_an_edit_of_an_annotator_is_fused_and_scored_within_a_second(host, opened, readers):
    before = opened.truth.truth
    array = slicer.util.arrayFromVolume(readers["wide"])
    array[:] = 0
    slicer.util.arrayFromVolumeModified(readers["wide"])
    host.wait_for(lambda: opened.truth.truth is not before, seconds=1)
    assert not opened.truth.truth[:, 12:, 12:].any(), "only one of three marks the second box now"
    host.wait_for(lambda: not opened.annotatorsSection.isReviewing, seconds=1)
    assert {row.annotator: row.dice for row in opened.annotators.rows()}["wide"] == 0


def test_an_adjudicated_truth_is_not_replaced_without_a_question_and_a_copy_stays(host, deciding):
    reader_buttons(deciding)[1].click()
    decided = deciding.truth.truth.copy()
    table = deciding.caseSection._ui.annotatorTable
    table.item(0, 0).setCheckState(Qt.CheckState.Unchecked)
    assert np.array_equal(deciding.truth.truth, decided)
    assert "was adjudicated and is kept" in text(deciding.truthSection._ui.truthMessage)
    assert rows(deciding)[0][DECISION] == "wide", "unticking takes nobody out of the decisions"
    host.answers.consents.append(False)
    deciding.truthSection.onEstimate()
    assert np.array_equal(deciding.truth.truth, decided)
    host.answers.consents.append(True)
    deciding.truthSection.onEstimate()
    assert not np.array_equal(deciding.truth.truth, decided)
    copy = deciding.case.folder.nodes(Role.EDITED_TRUTH)[0]
    assert "1 of 2 disagreements decided by Ann" in copy.GetDescription()
    titles = {each.title for each in deciding.truth.references()}
    assert copy.GetName() in titles
    combo = deciding.truthSection._ui.methodSelector
    combo.setProperty("currentIndex", combo.findText(f"Reference: {copy.GetName()}"))
    assert np.array_equal(deciding.truth.truth, decided), "the copy can be the reference again"
