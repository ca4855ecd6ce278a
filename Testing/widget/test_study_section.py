"""All cases of a study in the background, and from case to case by key."""

from __future__ import annotations

import pytest

from NoisyLabelSegLib.cases import read_labels


def text(widget):
    return widget.property("text")


@pytest.fixture
def study(module, make_disk_study):
    """A study of three cases, the first of which is open."""
    made = make_disk_study(cases=3, shape=(6, 16, 16))
    module.panel.opening.openPath(made.folder)
    return module.panel


@pytest.mark.usefixtures("opened")
def test_without_a_study_it_says_what_is_missing(module):
    ui = module.panel.studySection._ui
    assert not ui.fuseAllButton.property("enabled")
    assert "study.json" in ui.fuseAllButton.property("toolTip")


def test_all_cases_are_fused_and_reviewed_in_the_background(host, study, tmp_path):
    ui = study.studySection._ui
    ui.studyFolder.currentPath = str(tmp_path / "results")
    ui.fuseAllButton.click()
    assert study.studySection.running
    assert not ui.reviewAllButton.property("enabled")
    host.wait_for(lambda: not study.studySection.running)
    assert "The truths of 3 cases" in text(ui.studyMessage)
    for case in ("case0", "case1", "case2"):
        assert read_labels(tmp_path / "results" / "fused" / case / "truth.nrrd").array.any()
    host.wait_for(lambda: ui.reviewAllButton.property("enabled"))
    ui.reviewAllButton.click()
    host.wait_for(lambda: not study.studySection.running)
    assert (tmp_path / "results" / "review" / "report.html").is_file()
    assert "reviewed" in text(ui.studyMessage)
    host.wait_for(lambda: not ui.openReportButton.isHidden())


def test_keys_step_through_the_cases_around_the_ends(study):
    assert study.case.folder.case == "case0"
    study.caseSection.onNextCase()
    assert study.case.folder.case == "case1"
    study.caseSection.onPreviousCase()
    study.caseSection.onPreviousCase()
    assert study.case.folder.case == "case2"
    keys = {shortcut.property("key").toString() for shortcut in study._keys._shortcuts}
    assert keys == {"Shift+C", "Shift+X", "Shift+S", "Shift+A"}


def test_a_scene_with_one_case_says_that_there_is_no_other(opened):
    opened.caseSection.onNextCase()
    assert "There is no other case" in text(opened.caseSection._ui.caseMessage)
