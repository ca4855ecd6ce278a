"""Large cases are worked on little by little, or in another process: the window handles events in between.

Every case counts as large here, so that small ones show how.
"""

from __future__ import annotations

import gc
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
import slicer

from NoisyLabelSegLib.jobs.job import State
from NoisyLabelSegLib.review.compare.case import review_case
from NoisyLabelSegLib.scene.nodes import Role


def text(widget):
    return widget.property("text")


@pytest.fixture
def large(monkeypatch):
    """The panel takes every case for a large one."""
    monkeypatch.setattr("NoisyLabelSegLib.widget.work.LARGE_VOXELS", 10)


@pytest.fixture
def scan(large, module, volume, readers):
    """The panel with the scan, to which the readers have just been added; nothing has been read yet."""
    assert large is None
    module.panel.case.chooseVolume(volume)
    module.panel.case.addFromScene()
    while not module.panel.case.annotators:
        take_steps(module.panel.case._runner, 1)
    assert readers
    module.panel.case._runner._timer.start()
    return module.panel


@pytest.fixture
def temporary(monkeypatch, tmp_path):
    """Where temporary folders are made during a test."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def take_steps(steps, count):
    """Does some steps of what has just begun, as the event loop would."""
    steps._timer.stop()
    for _ in range(count):
        steps._step()


def is_asked(panel):
    """Whether a worker has been started to review the case."""
    review = panel.annotatorsSection._background._newest
    return review is not None and review.job is not None


def reviewed(host, panel):
    host.wait_for(lambda: panel.annotators.review is not None)
    host.wait_for(lambda: not panel.annotatorsSection.isReviewing)


def test_the_outlines_are_read_between_events_and_the_panel_says_so(host, scan, monkeypatch):
    case, truth = scan.caseSection._ui, scan.truthSection._ui
    assert scan.case.annotators == ("exact", "wide", "misses")
    assert not scan.case.isReady
    assert scan.truth.truth is None
    assert truth.estimateButton.property("toolTip") == "<p>The outlines are still being read.</p>"
    said = []
    say = sys.modules["NoisyLabelSegLib.widget.steps"].say
    monkeypatch.setattr("NoisyLabelSegLib.widget.steps.say", lambda *what: said.append(what[1]) or say(*what))
    host.wait_for(lambda: scan.truth.truth is not None)
    assert list(dict.fromkeys(said))[:3] == [
        f"Reading the outlines of {name}..." for name in ("exact", "wide", "misses")
    ]
    assert text(case.caseMessage) == ""
    assert truth.estimateButton.property("enabled")


def test_another_volume_stops_the_reading(host, scan):
    scan.case.chooseVolume(None)
    host.wait_for(lambda: scan.case.isReady)
    assert scan.truth.truth is None
    assert "try the demo case" in text(scan.caseSection._ui.caseMessage)


def test_the_review_is_done_in_another_process_and_finds_the_same(host, scan, temporary):
    reviewed(host, scan)
    fused = scan.truth.fusedFrom
    here = review_case(scan.case.labels(), scan.truth.truth, scan.case.geometry, case="scan", fused_from=fused)
    assert scan.annotators.review.statistics == here.statistics
    assert scan.annotators.review.mistakes == here.mistakes
    for name in scan.case.annotators:
        node = scan.case.folder.find(Role.ERRORS, annotator=name)
        assert np.array_equal(slicer.util.arrayFromVolume(node), here.error_maps[name])
    assert text(scan.annotatorsSection._ui.annotatorsMessage) == ""
    assert scan.annotatorsSection._ui.statisticsTable.model().rowCount() == 3
    gc.collect()
    assert not list(temporary.glob("noisylabelseg-*")), "nothing is left behind"


def test_a_newer_truth_takes_the_place_of_a_review_that_is_under_way(host, scan):
    host.wait_for(lambda: is_asked(scan))
    first = scan.annotatorsSection._background._newest.job
    scan.case.use("exact", used=False)
    scan.case.use("misses", used=False)
    host.wait_for(lambda: scan.truth.truth.sum() > 305)  # the wide one alone
    host.wait_for(lambda: not first.is_running())
    reviewed(host, scan)
    host.wait_for(lambda: {row.annotator: row.dice for row in scan.annotators.rows()}["wide"] == 1)


def test_closing_the_scene_ends_the_review(host, scan, temporary):
    host.wait_for(lambda: is_asked(scan))
    job = scan.annotatorsSection._background._newest.job
    host.close_scene()
    assert not job.is_running()
    assert not scan.annotatorsSection._background.running
    assert not list(temporary.glob("noisylabelseg-review-*"))


def test_a_reviewer_that_dies_is_explained(host, scan):
    from NoisyLabelSegLib.jobs.process import end_tree

    host.wait_for(lambda: is_asked(scan))
    job = scan.annotatorsSection._background._newest.job
    end_tree(job._process._child)
    host.wait_for(lambda: not scan.annotatorsSection._background.running)
    assert job.state is State.FAILED
    assert "worker" in text(scan.annotatorsSection._ui.annotatorsMessage)
    scan.annotatorsSection.review()
    reviewed(host, scan)


def test_a_study_is_loaded_file_by_file_and_half_a_case_is_taken_back(large, host, module, tmp_path):
    from NoisyLabelSegLib.cli import main

    assert large is None
    study = tmp_path / "study"
    assert main(["simulate", "lesions", "--cases", "2", "--size", "32,32,8", "--out", str(study)]) == 0
    opening = module.panel.opening
    opening.openPath(Path(study))
    take_steps(opening._runner, 7)
    assert slicer.mrmlScene.GetNumberOfNodesByClass("vtkMRMLSegmentationNode") == 2
    opening.leaveScene()
    assert slicer.mrmlScene.GetNumberOfNodesByClass("vtkMRMLSegmentationNode") == 0
    opening.openPath(Path(study))
    assert not module.panel.case.isOpen
    host.wait_for(lambda: module.panel.truth.truth is not None)
    assert len(module.panel.case.annotators) == 5


def test_the_scene_is_written_for_a_training_between_events_and_that_can_be_canceled(host, scan, temporary, tmp_path):
    host.wait_for(lambda: scan.case.isReady)
    train = scan.trainSection._ui
    train.runPath.currentPath = str(tmp_path / "run")
    train.trainButton.click()
    assert scan.trainSection._job.running
    assert text(train.trainButton) == "Cancel"
    take_steps(scan.trainSection._job._steps, 5)
    assert text(train.trainMessage) == "Writing scan for the training..."
    train.trainButton.click()
    assert not scan.trainSection._job.running
    assert text(train.trainButton) == "Train"
    assert "Canceled" in text(train.trainMessage)
    assert not (tmp_path / "run").exists()
    assert not list(temporary.glob("noisylabelseg-train-*"))


def test_the_confidence_overlay_of_a_large_case_is_made_between_events(host, scan):
    host.wait_for(lambda: scan.truth.truth is not None)
    scan.truthSection._ui.confidenceBox.setChecked(True)
    assert scan.case.folder.find(Role.CONFIDENCE) is None
    host.wait_for(lambda: scan.case.folder.find(Role.CONFIDENCE) is not None)
