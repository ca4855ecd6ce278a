"""The demo tells its story: a small one here, the whole one is `make demo`."""

from __future__ import annotations

import pytest

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.experiments.demo import FUSIONS, LEARNED, TAUGHT, THRESHOLD, Demo, run_demo
from NoisyLabelSegLib.experiments.demo_study import EVERYONE
from NoisyLabelSegLib.progress import Progress

PEOPLE = ("good", "over", "under", "wrong", "blank")


@pytest.fixture(scope="module")
def told() -> list[str | Progress]:
    """What the small demo says and reports, in order."""
    return []


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory, told: list[str | Progress]) -> Demo:
    """Too small to learn anything, with everything in place."""
    folder = tmp_path_factory.mktemp("demo")
    return run_demo(folder, cases=6, training=["epochs=1", "widths=[4,8]"], say=told.append, report=told.append)


def test_every_scan_has_one_label_and_the_held_out_ones_have_all_five_besides(demo: Demo) -> None:
    study, everyone = Study.read(demo.folder / "study"), Study.read(demo.folder / "study" / EVERYONE)
    assert all(len(case.annotations) == 1 for case in study.cases)
    assert [case.id for case in everyone.cases] == [case.id for case in study.split("test").cases]
    assert all(case.annotators == PEOPLE for case in everyone.cases)
    assert (len(study.cases), len(everyone.cases)) == (6, 2)


def test_all_methods_are_scored_on_the_held_out_scans(demo: Demo) -> None:
    assert [row.method for row in demo.rows] == [THRESHOLD, *FUSIONS, LEARNED, TAUGHT]
    assert all(row.dice is not None and 0 <= row.dice <= 1 for row in demo.rows)
    scored = {row.method for row in demo.rows if row.confusion_error is not None}
    assert scored == {*FUSIONS, LEARNED}


def test_report_model_and_predictions_are_there(demo: Demo) -> None:
    for name in ("run/model.nlseg", "review/report.html", *(f"{method}/annotators.csv" for method in FUSIONS)):
        assert (demo.folder / name).is_file(), name
    for case in Study.read(demo.folder / "study" / EVERYONE).cases:
        assert (demo.folder / "learned" / case.id / "truth.nrrd").is_file()
        assert (demo.folder / TAUGHT / "learned" / case.id / "truth.nrrd").is_file()
    assert "blank marks nothing" in " ".join(demo.sentences)


def test_one_bar_runs_from_nothing_to_the_end(demo: Demo, told: list[str | Progress]) -> None:
    reports = [item for item in told if isinstance(item, Progress)]
    assert {report.stage for report in reports} == {"demo"}
    done = [report.done for report in reports]
    assert (done[0], done[-1]) == (0, reports[-1].total)
    assert done == sorted(done)
    assert str(told[1]).startswith("6 phantom brains")
    assert demo.has_scene


def test_the_scene_opens_as_a_full_review(demo: Demo) -> None:
    from NoisyLabelSegLib.review import PAPER, color_table
    from NoisyLabelSegLib.scene import CaseFolder, HeadlessSlicer, ReviewViews, Role
    from NoisyLabelSegLib.scene.layout import LAYOUT_ID
    from NoisyLabelSegLib.scene.legends import legendOf
    from NoisyLabelSegLib.scene.tables import rowsOf

    with HeadlessSlicer() as app:
        assert app.scene.ReadFromMRB(str(demo.folder / "demo.mrb"), True)
        (folder,) = CaseFolder.all(app.scene)
        assert tuple(folder.annotators) == PEOPLE
        assert folder.image is not None
        assert folder.find(Role.TRUTH) is not None
        assert folder.find(Role.KNOWN_TRUTH) is not None
        assert folder.find(Role.PROBABILITY) is not None
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


def test_the_picture_shows_every_annotator(demo: Demo) -> None:
    import SimpleITK as sitk

    picture = sitk.GetArrayFromImage(sitk.ReadImage(str(demo.folder / "demo.png")))
    rows, columns = picture.shape[0] // 2, picture.shape[1] // 3
    for place in range(len(PEOPLE)):
        top, left = place // 3 * rows, place % 3 * columns
        view = picture[top : top + rows, left : left + columns].astype(int)
        assert (abs(view[..., 0] - view[..., 1]) > 100).any(), f"no colors in the view of {PEOPLE[place]}"
