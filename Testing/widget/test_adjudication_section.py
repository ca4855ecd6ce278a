"""The section where disagreements are decided one by one."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest
import slicer
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from NoisyLabelSegLib.cases import read_labels
from NoisyLabelSegLib.decisions import Decisions
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.scene.segments import fillSegmentation
from NoisyLabelSegLib.scene.tables import rowsOf
from Testing.widget.nodes import edit

DECISION = 2


def ui_of(panel):
    return panel.adjudicationSection._ui


def text(widget):
    return widget.property("text")


def rows(panel):
    table = ui_of(panel).disagreementTable
    count = table.model().rowCount()
    return [[table.item(row, column).text() for column in range(3)] for row in range(count)]


def reader_buttons(panel):
    return [button for button in ui_of(panel).readersArea.findChildren(QPushButton) if not button.isHidden()]


def scores(panel):
    panel.annotatorsSection.review()
    return {row.annotator: row.dice for row in panel.annotators.rows()}


def paint(panel, *box):
    """What somebody does in Segment Editor with the truth."""
    labels = panel.case.savedTruth()
    labels[box] = 1
    fillSegmentation(
        panel.case.folder.find(Role.TRUTH), labels, panel.case.geometry, panel.case.classes[1:], [(1.0, 1.0, 0.0)]
    )
    return labels


@pytest.fixture
def deciding(opened):
    """The panel with the section open, and Ann about to decide."""
    ui = ui_of(opened)
    ui.adjudicatorEdit.setText("Ann")
    ui.adjudicationSection.collapsed = False
    assert opened.adjudication.session is not None
    return opened


def decisions_of(panel):
    return Decisions.from_text(panel.case.folder.find(Role.DECISIONS).GetText())


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
    ui.commentEdit.setText("seen twice")
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
    ui.adjudicatorEdit.setText("")
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


@pytest.fixture
def segment_editor(host):
    """What the panel has told Segment Editor to edit."""
    told = SimpleNamespace()
    editor = SimpleNamespace(
        setSegmentationNode=lambda node: setattr(told, "segmentation", node),
        setSourceVolumeNode=lambda node: setattr(told, "volume", node),
    )
    host.application.widgets["SegmentEditor"] = SimpleNamespace(editor=editor)
    yield told
    del host.application.widgets["SegmentEditor"]


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


def scores_now(panel):
    return {row.annotator: row.dice for row in panel.annotators.rows()}.get("exact")


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


def test_decisions_survive_a_saved_scene_and_go_on_there(host, deciding, tmp_path):
    reader_buttons(deciding)[1].click()
    edited = paint(deciding, slice(0, 2), slice(0, 5), slice(0, 5))
    host.wait_for(lambda: len(decisions_of(deciding).decisions) == 2, seconds=2)
    saved = str(tmp_path / "scene.mrb")
    assert slicer.mrmlScene.WriteToMRB(saved)
    host.close_scene()
    assert slicer.mrmlScene.ReadFromMRB(saved, True)
    panel = deciding
    assert np.array_equal(panel.truth.truth, edited)
    assert panel.truth.isKept
    assert not panel.truth.isEdited
    ui_of(panel).adjudicationSection.collapsed = True
    ui_of(panel).adjudicationSection.collapsed = False
    assert [row[DECISION] for row in rows(panel)] == ["wide", ""]
    assert ui_of(panel).disagreementTable.currentRow() == 1, "work goes on where it was left"
    reader_buttons(panel)[1].click()
    assert panel.truth.truth.sum() > edited.sum()
    ui_of(panel).undoButton.click()
    assert np.array_equal(panel.truth.truth, edited)


def test_saved_decisions_give_the_same_voxels_on_the_command_line(host, deciding, tmp_path):
    from NoisyLabelSegLib.cli import main

    reader_buttons(deciding)[1].click()
    edited = paint(deciding, slice(0, 2), slice(0, 5), slice(0, 5))
    host.wait_for(lambda: len(decisions_of(deciding).decisions) == 2, seconds=2)
    host.answers.paths.append(str(tmp_path / "work" / "decisions.json"))
    ui_of(deciding).saveDecisionsButton.click()
    study = write_study(deciding, tmp_path / "study")
    place = tmp_path / "work"
    for truth in ("weighted-majority", str(place / "reference")):
        out = tmp_path / f"out-{len(truth)}"
        words = ["--truth", truth, "--decisions", str(place / "decisions.json"), "--out", str(out)]
        assert main(["adjudicate", str(study), *words]) == 0
        assert np.array_equal(read_labels(out / "scan" / "truth.nrrd").array, edited)


def write_study(panel, folder):
    """The case of the panel as a study on the disk; returns the path of its study.json."""
    from NoisyLabelSegLib.progress import finished
    from NoisyLabelSegLib.widget.study_files import writeStudy, writingCase

    case = finished(writingCase(panel.case.case(), folder))
    return writeStudy([case], folder, name="readers", classes=panel.case.classes)


def test_another_adjudicator_s_decisions_are_merged_and_conflicts_come_first(host, deciding, tmp_path):
    mine, theirs = tmp_path / "mine.json", tmp_path / "theirs.json"
    ui = ui_of(deciding)
    ui.disagreementTable.selectRow(1)
    ui.majorityButton.click()
    host.answers.paths.append(str(mine))
    ui.saveDecisionsButton.click()
    content = json.loads(mine.read_text(encoding="utf-8"))
    content["decisions"][0] |= {"choice": "annotator:wide", "by": "Ben"}
    theirs.write_text(json.dumps(content), encoding="utf-8")
    host.answers.paths.append(str(theirs))
    ui.mergeButton.click()
    assert rows(deciding)[1][DECISION] == "conflict: Ann: majority / Ben: wide"
    assert "Decided differently: 1." in text(ui.adjudicationMessage)
    assert ui.disagreementTable.currentRow() == 1
    assert "Decide about the conflicts first" in ui.signOffButton.property("toolTip")
    deciding.case.refresh()
    assert rows(deciding)[1][DECISION] == "conflict: Ann: majority / Ben: wide", "the scene keeps conflicts"
    ui.disagreementTable.selectRow(1)
    ui.majorityButton.click()
    assert rows(deciding)[1][DECISION] == "majority"


def test_grades_of_a_report_are_shown_as_a_table(host, deciding, tmp_path):
    ui, file = ui_of(deciding), tmp_path / "grades.json"
    grade = {"case": deciding.case.folder.case, "region": {"center_ras": [1, 2, 3]}, "by": "Ben", "error_of": "wide"}
    elsewhere = {**grade, "case": "another", "grade": "agree"}
    content = {"format": "noisylabelseg-decisions/1", "decisions": [{**grade, "grade": "disagree"}, elsewhere]}
    file.write_text(json.dumps(content), encoding="utf-8")
    host.answers.paths.append(str(file))
    ui.mergeButton.click()
    assert "Graded errors: 0 agree, 1 disagree, 0 unclear." in text(ui.adjudicationMessage)
    (row,) = rowsOf(deciding.case.folder.find(Role.GRADES))
    assert (row["annotator"], row["grade"], row["RAS in mm"], row["by"]) == ("wide", "disagree", "1.0 2.0 3.0", "Ben")


def test_decisions_about_another_reference_are_refused_in_a_sentence(host, deciding, tmp_path):
    ui = ui_of(deciding)
    ui.majorityButton.click()
    Decisions.read(saved(host, deciding, tmp_path / "a.json"))
    content = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    content["reference"]["method"] = "staple"
    (tmp_path / "b.json").write_text(json.dumps(content), encoding="utf-8")
    host.answers.paths.append(str(tmp_path / "b.json"))
    ui.mergeButton.click()
    assert "differ in 'method'" in text(ui.adjudicationMessage)


def saved(host, panel, path):
    host.answers.paths.append(str(path))
    ui_of(panel).saveDecisionsButton.click()
    return path


def test_signing_off_asks_about_what_is_left_and_marks_the_truth(host, deciding):
    ui = ui_of(deciding)
    ui.majorityButton.click()
    host.answers.consents.append(False)
    ui.signOffButton.click()
    assert text(ui.signedText) == ""
    host.answers.consents.append(True)
    ui.signOffButton.click()
    assert text(ui.signedText).startswith("Signed off by Ann on 20")
    assert not ui.signOffButton.property("enabled")
    assert "signed off by Ann" in deciding.truth.described()
    ui.undoButton.click()
    assert text(ui.signedText) == ""
    assert ui.signOffButton.property("enabled")


def test_signing_off_writes_the_truth_into_the_study_and_goes_on_with_the_next_case(module, make_disk_study):
    from NoisyLabelSegLib.cases import Study

    study = make_disk_study(cases=2, shape=(6, 24, 24))
    panel = module.panel
    panel.opening.openPath(study.folder)
    ui = ui_of(panel)
    ui.adjudicatorEdit.setText("Ann")
    ui.adjudicationSection.collapsed = False
    while panel.adjudication.session.undecided:
        reader_buttons(panel)[0].click()
    ui.signOffButton.click()
    case = Study.read(study.folder).case("case0")
    assert np.array_equal(case.truth(), panel.truth.truth)
    assert case.provenance["signed_off_by"] == "Ann"
    assert case.provenance["method"] == "adjudicated weighted-majority"
    assert (study.folder / "decisions.json").is_file()
    assert text(ui.nextUndecidedButton) == "Next case"
    ui.nextUndecidedButton.click()
    assert panel.case.folder.case == "case1"
    assert panel.adjudication.session.case == "case1"
    while panel.adjudication.session.undecided:
        reader_buttons(panel)[0].click()
    ui.signOffButton.click()
    again = Study.read(study.folder)
    assert [each.provenance["signed_off_by"] for each in again.cases] == ["Ann", "Ann"]
    assert {decision.case for decision in Decisions.read(study.folder / "decisions.json").decisions} == {
        "case0",
        "case1",
    }
    ui.nextUndecidedButton.click()
    assert "Everything is decided in all cases" in text(ui.adjudicationMessage)
