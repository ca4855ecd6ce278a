"""The demo tells its story offline and without a home folder: a small one here, the whole one is `make demo`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.demo.run import FUSIONS, LEARNED, ORACLE, THRESHOLD, WITH_LABELS
from NoisyLabelSegLib.demo.study import EVERYONE

REPOSITORY = Path(__file__).resolve().parents[2]
PEOPLE = ("good", "over", "under", "wrong", "blank")
NO_HOME = "/dev/null/home"
"""A place where not even an administrator can write."""


@dataclass(frozen=True)
class Told:
    """A demo that has run: its folder and its events."""

    folder: Path
    events: list[dict[str, Any]]

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["event"] == kind]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """Too small to learn anything, with everything in place; the network is cut off where that is allowed."""
    folder = tmp_path_factory.mktemp("demo") / "out"
    words = ["-m", "NoisyLabelSegLib", "demo", "--out", str(folder), "--cases", "6", "--epochs", "1", "--json"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    environment.update(HOME=NO_HOME, PYTHONPATH=str(REPOSITORY))
    command = [*offline(), sys.executable, *words]
    done = subprocess.run(command, env=environment, cwd=folder.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return Told(folder, [json.loads(line) for line in done.stdout.splitlines()])


def offline() -> list[str]:
    """What starts a program without a network; nothing where nobody may do so."""
    cut_off = ["unshare", "--net"]
    allowed = (
        shutil.which("unshare") and not subprocess.run([*cut_off, "true"], capture_output=True, check=False).returncode
    )
    return cut_off if allowed else []


def test_every_scan_has_one_label_and_the_held_out_ones_have_all_five_besides(demo: Told) -> None:
    study, everyone = Study.read(demo.folder / "study"), Study.read(demo.folder / "study" / EVERYONE)
    assert all(len(case.annotations) == 1 for case in study.cases)
    assert [case.id for case in everyone.cases] == [case.id for case in study.split("test").cases]
    assert all(case.annotators == PEOPLE for case in everyone.cases)
    assert (len(study.cases), len(everyone.cases)) == (6, 2)


def test_all_methods_are_scored_on_the_held_out_scans(demo: Told) -> None:
    (result,) = demo.of("result")
    methods = result["methods"]
    assert list(methods) == [THRESHOLD, *FUSIONS, LEARNED, WITH_LABELS, ORACLE]
    assert all(0 <= row["dice"] <= 1 for row in methods.values())
    assert {name for name, row in methods.items() if row["cm_rmse_column"] is not None} == {*FUSIONS, LEARNED}
    assert "truth" in methods[THRESHOLD]["remark"]
    assert "all five labels" in methods[WITH_LABELS]["remark"]
    assert "twice as many steps" in methods[ORACLE]["remark"]


def test_report_model_and_predictions_are_there(demo: Told) -> None:
    for name in ("run/model.nlseg", "review/report.html", *(f"{method}/annotators.csv" for method in FUSIONS)):
        assert (demo.folder / name).is_file(), name
    for case in Study.read(demo.folder / "study" / EVERYONE).cases:
        assert (demo.folder / "learned" / case.id / "truth.nrrd").is_file()
        assert (demo.folder / "combined" / case.id / "truth.nrrd").is_file()
        assert (demo.folder / ORACLE / "learned" / case.id / "truth.nrrd").is_file()


def test_one_bar_runs_from_nothing_to_the_end(demo: Told) -> None:
    reports = demo.of("progress")
    assert {report["stage"] for report in reports} == {"demo"}
    done = [report["done"] for report in reports]
    assert (done[0], done[-1]) == (0, reports[-1]["total"])
    assert done == sorted(done)
    assert any(report["secondsLeft"] for report in reports)


def test_it_says_what_was_learned_and_what_to_open(demo: Told) -> None:
    said = [event["text"] for event in demo.of("log")]
    assert said[0].startswith("6 phantom brains")
    assert any(sentence.startswith("blank marks nothing") for sentence in said)
    truth, instead, open_, next_ = said[-4:]
    assert truth.startswith("This training was too short to learn anything useful")
    assert "show the known truth of the phantoms instead of an estimate" in instead
    assert all(name in open_ for name in ("report.html", "demo.png", "demo.mrb"))
    assert "noisylabelseg predict" in next_


def test_the_scene_opens_as_a_full_review(demo: Told) -> None:
    from NoisyLabelSegLib.review import PAPER, color_table
    from NoisyLabelSegLib.scene import CaseFolder, HeadlessSlicer, ReviewViews, Role
    from NoisyLabelSegLib.scene.colors import legendOf
    from NoisyLabelSegLib.scene.layout import LAYOUT_ID
    from NoisyLabelSegLib.scene.tables import rowsOf

    with HeadlessSlicer() as app:
        assert app.scene.ReadFromMRB(str(demo.folder / "demo.mrb"), True)
        (folder,) = CaseFolder.all(app.scene)
        assert tuple(folder.annotators) == PEOPLE
        assert folder.image is not None
        assert folder.find(Role.TRUTH) is not None
        assert folder.find(Role.KNOWN_TRUTH) is not None
        assert folder.find(Role.PROBABILITY) is None  # nothing was estimated that is worth a look
        for name in PEOPLE:
            errors = folder.find(Role.ERRORS, annotator=name)
            colors = errors.GetDisplayNode().GetColorNode()
            named = [colors.GetColorName(code) for code in range(1, 4)]
            assert named == [entry.name for entry in color_table(PAPER)[1:4]]
            assert legendOf(errors) is not None
            assert folder.find(Role.ANNOTATOR, annotator=name) is not None
        assert {row["annotator"] for row in rowsOf(folder.find(Role.STATISTICS))} == set(PEOPLE)
        assert rowsOf(folder.find(Role.MISTAKES))
        layout = app.scene.GetFirstNodeByClass("vtkMRMLLayoutNode")
        assert layout.GetViewArrangement() == LAYOUT_ID
        assert ReviewViews(app.scene, app.applicationLogic).reopen()
        assert layout.GetCurrentLayoutDescription().count("<view ") == len(PEOPLE)


def test_the_picture_shows_every_annotator(demo: Told) -> None:
    import SimpleITK as sitk

    picture = sitk.GetArrayFromImage(sitk.ReadImage(str(demo.folder / "demo.png")))
    rows, columns = picture.shape[0] // 2, picture.shape[1] // 3
    for place in range(len(PEOPLE)):
        top, left = place // 3 * rows, place % 3 * columns
        view = picture[top : top + rows, left : left + columns].astype(int)
        assert (view.max(axis=-1) - view.min(axis=-1) > 100).any(), f"no colors in the view of {PEOPLE[place]}"
