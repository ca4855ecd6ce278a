"""Decisions that are saved, opened again, replayed, merged and signed off."""

from __future__ import annotations

import json

import numpy as np
import slicer

from NoisyLabelSegLib.cases import Study, read_labels
from NoisyLabelSegLib.cli import main
from NoisyLabelSegLib.decisions import Decisions
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.scene.tables import rowsOf
from Testing.widget.adjudicating import (
    DECISION,
    decisions_of,
    paint,
    reader_buttons,
    rows,
    saved,
    text,
    ui_of,
    write_study,
)


def test_decisions_survive_a_saved_scene_and_go_on_there(host, deciding, tmp_path):
    reader_buttons(deciding)[1].click()
    edited = paint(deciding, slice(0, 2), slice(0, 5), slice(0, 5))
    host.wait_for(lambda: len(decisions_of(deciding).decisions) == 2, seconds=2)
    scene = str(tmp_path / "scene.mrb")
    assert slicer.mrmlScene.WriteToMRB(scene)
    host.close_scene()
    assert slicer.mrmlScene.ReadFromMRB(scene, True)
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
    study = make_disk_study(cases=2, shape=(6, 24, 24))
    panel = module.panel
    panel.opening.openPath(study.folder)
    ui = ui_of(panel)
    ui.adjudicatorEdit.setProperty("text", "Ann")
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
