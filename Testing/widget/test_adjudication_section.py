"""The section where disagreements are decided one by one."""

from __future__ import annotations

import numpy as np
import pytest
import slicer

from NoisyLabelSegLib.scene.nodes import Role
from Testing.widget.adjudicating import (
    DECISION,
    decisions_of,
    reader_buttons,
    rows,
    scores,
    text,
    ui_of,
)


def exact_and_wide(readers):
    exact, wide = (slicer.util.arrayFromVolume(readers[name]) for name in ("exact", "wide"))
    return exact, wide


def test_opening_the_section_lists_the_disagreements_largest_first(deciding):
    assert rows(deciding) == [
        ["object, 245 mm³\n17, 17, 3", "exact | wide | misses", ""],
        ["border, 140 mm³\n6, 3, 3", "exact, misses | wide", ""],
    ]
    assert text(ui_of(deciding).disagreementText) == (
        "1 of 2, 2 undecided. Whether there is an object: 245 mm³ at R 17.0, A 17.0, S 3.0 mm. "
        "exact: 51 % of it. wide: all of it. misses: nothing."
    )
    assert [text(button) for button in reader_buttons(deciding)] == ["exact", "wide", "misses"]


def test_one_click_decides_moves_on_and_changes_truth_and_scores(deciding, readers):
    exact, wide = exact_and_wide(readers)
    before = scores(deciding)
    reader_buttons(deciding)[1].click()
    expected = exact.copy()
    expected[:, 12:, 12:] = wide[:, 12:, 12:]
    assert np.array_equal(deciding.truth.truth, expected)
    assert np.array_equal(deciding.case.savedTruth(), expected)
    assert rows(deciding)[0][DECISION] == "wide"
    assert ui_of(deciding).disagreementTable.currentRow() == 1
    assert scores(deciding)["wide"] > before["wide"]
    (decision,) = decisions_of(deciding).decisions
    assert (decision.choice, decision.by, len(decision.date)) == ("annotator:wide", "Ann", 10)


@pytest.mark.parametrize(("button", "choice"), [("majorityButton", "majority"), ("unclearButton", "unclear")])
def test_every_choice_is_one_click(deciding, button, choice):
    ui = ui_of(deciding)
    ui.commentEdit.setProperty("text", "seen twice")
    getattr(ui, button).click()
    (decision,) = decisions_of(deciding).decisions
    assert (decision.choice, decision.comment) == (choice, "seen twice")
    assert text(ui.commentEdit) == "", "the next disagreement has no comment yet"


def test_a_key_decides_while_the_section_is_open_only(deciding):
    keys = deciding.adjudicationSection._keys._shortcuts
    majority, first = keys[0], keys[6]
    assert majority.isEnabled()
    majority.activated.emit()
    first.activated.emit()
    assert [decision.choice for decision in decisions_of(deciding).decisions] == ["majority", "annotator:exact"]
    ui_of(deciding).adjudicationSection.collapsed = True
    assert not majority.isEnabled()


def test_without_a_name_nothing_is_decided_and_the_button_says_why(deciding):
    ui = ui_of(deciding)
    ui.adjudicatorEdit.setProperty("text", "")
    assert not ui.majorityButton.property("enabled")
    assert "Enter your name first" in ui.majorityButton.property("toolTip")
    assert not reader_buttons(deciding)[0].property("enabled")


def test_decisions_are_undone_one_by_one(deciding):
    first = deciding.truth.truth.copy()
    ui = ui_of(deciding)
    reader_buttons(deciding)[1].click()
    reader_buttons(deciding)[1].click()
    assert [row[DECISION] for row in rows(deciding)] == ["wide", "wide"]
    ui.undoButton.click()
    ui.undoButton.click()
    assert np.array_equal(deciding.truth.truth, first)
    assert [row[DECISION] for row in rows(deciding)] == ["", ""]
    assert not ui.undoButton.property("enabled")


def test_an_agreed_share_lets_voxels_pass_and_is_fixed_once_something_is_decided(deciding):
    ui = ui_of(deciding)
    ui.shareBox.setProperty("value", 66)
    assert len(rows(deciding)) == 0
    assert "There are no disagreements" in text(ui.disagreementText)
    ui.shareBox.setProperty("value", 75)
    assert len(rows(deciding)) == 2
    ui.majorityButton.click()
    assert not ui.shareBox.property("enabled")
    assert decisions_of(deciding).agreed_share == 0.75


def test_names_are_hidden_in_the_section_and_closed_elsewhere(deciding):
    ui = ui_of(deciding)
    ui.hideNamesBox.setChecked(True)
    shown = " ".join([*(" ".join(row) for row in rows(deciding)), text(ui.disagreementText)])
    shown += " ".join(text(button) for button in reader_buttons(deciding))
    assert "Reader A" in shown
    assert not any(name in shown for name in ("exact", "wide", "misses"))
    assert [text(button) for button in reader_buttons(deciding)] == ["Reader A", "Reader B", "Reader C"]
    assert deciding.annotatorsSection._ui.annotatorsSection.collapsed
    assert not deciding.caseSection._ui.caseSection.isEnabled()
    reader_buttons(deciding)[0].click()
    assert rows(deciding)[0][DECISION].startswith("Reader ")
    assert decisions_of(deciding).decisions[0].annotator in ("exact", "wide", "misses")
    ui.hideNamesBox.setChecked(False)
    assert deciding.caseSection._ui.caseSection.isEnabled()


def test_the_views_go_to_the_disagreement_and_show_everybody(deciding):
    red = slicer.mrmlScene.GetNodeByID("vtkMRMLSliceNodeRed")
    ui_of(deciding).disagreementTable.selectRow(1)
    assert [round(red.GetSliceToRAS().GetElement(row, 3)) for row in range(3)] == [6, 3, 3]
    region = deciding.case.folder.find(Role.DISPUTED)
    assert region.GetDisplayNode().GetVisibility()
    assert all(deciding.case.isShown(name) for name in deciding.case.annotators)
    composite = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLSliceCompositeNode")
    deciding.annotatorsSection._ui.statisticsTable.selectRow(0)
    assert composite.GetLabelVolumeID() is not None
    ui_of(deciding).disagreementTable.selectRow(0)
    assert composite.GetLabelVolumeID() is None
    scores(deciding)  # the review shows an annotator's errors, the views come back
    assert composite.GetLabelVolumeID() is None
    deciding.annotatorsSection._ui.statisticsTable.selectRow(1)
    assert composite.GetLabelVolumeID() is not None
    assert deciding.case.folder.find(Role.DISPUTED) is None


def test_the_region_in_question_is_not_drawn_any_more_when_the_section_is_closed(deciding):
    def isDrawn():
        nodes = deciding.case.folder.nodes(Role.DISPUTED)
        return any(node.GetDisplayNode().GetVisibility() for node in nodes)

    assert isDrawn()
    deciding.adjudicationSection._ui.adjudicationSection.collapsed = True
    assert not isDrawn(), "its blue would be taken for that of missed voxels"
    deciding.adjudicationSection._ui.adjudicationSection.collapsed = False
    assert isDrawn()
