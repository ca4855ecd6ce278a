"""Defect 39: labels without an image are fused, reviewed, adjudicated and exported in the panel."""

from __future__ import annotations

import numpy as np
import pytest
import slicer

from NoisyLabelSegLib.cases import Geometry, read_geometry, read_labels, write_labels
from NoisyLabelSegLib.cli import main
from NoisyLabelSegLib.decisions import Decisions
from NoisyLabelSegLib.scene.case_images import isEmpty
from NoisyLabelSegLib.scene.nodes import Role
from Testing.widget.nodes import edit, labelmap, segmentation

GRID = Geometry((6, 20, 24), (0.8, 0.7, 2.5), (-10.0, 5.0, -900.0), (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))


def text(widget):
    return widget.property("text")


def drawn(by: int):
    labels = np.zeros(GRID.shape, dtype=np.uint8)
    labels[1:4, 3:12, 4 : 10 + 2 * by] = 1
    return labels


@pytest.fixture
def files(tmp_path):
    """A folder of two cases with the labels of three readers, and no image."""
    for case in ("p1", "p2"):
        for by, name in enumerate(("ann", "ben", "cid")):
            write_labels(tmp_path / "labels" / case / f"{name}.nrrd", drawn(by), GRID)
    return tmp_path / "labels"


@pytest.fixture
def alone(module, files):
    """The panel with the first case of the folder."""
    module.panel.opening.openPath(files)
    module.panel.annotatorsSection.review()
    return module.panel


def test_39_a_folder_of_labels_opens_on_the_grid_of_the_labels_and_is_fused(alone):
    assert alone.case.annotators == ("ann", "ben", "cid")
    alone.case.geometry.require_same(GRID, "the labels")
    np.testing.assert_array_equal(alone.truth.truth, drawn(1))
    assert [row.dice < 1 for row in alone.annotators.rows()] == [True, False, True]
    assert "There is no image" in text(alone.caseSection._ui.caseMessage)
    assert isEmpty(alone.case.volume)
    assert not alone.case.case().images, "the empty volume is no image of the case"


def test_39_errors_are_walked_through_over_the_empty_image(alone):
    ui = alone.annotatorsSection._ui
    composite = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLSliceCompositeNode")
    composite.SetLayoutName("Red")
    ui.statisticsTable.selectRow(0)
    alone.annotatorsSection.onNext()
    assert text(ui.mistakeText).startswith("Error 1 of")
    errors = alone.case.folder.find(Role.ERRORS, annotator="ann")
    assert composite.GetBackgroundVolumeID() == alone.case.volume.GetID()
    assert composite.GetLabelVolumeID() == errors.GetID()


def test_39_every_export_and_the_report_are_of_the_labels_alone(alone, tmp_path):
    from NoisyLabelSegLib.widget.export_logic import ExportLogic, Format

    logic = ExportLogic(alone.case, alone.truth)
    logic.export({Format.NRRD, Format.NIFTI, Format.SEGMENTATION, Format.REVIEW}, tmp_path / "out")
    for ending in ("nrrd", "nii.gz"):
        image = read_labels(tmp_path / "out" / f"p1_truth.{ending}")
        np.testing.assert_array_equal(image.array, drawn(1))
        image.geometry.require_same(GRID, "the labels")
    assert (tmp_path / "out" / "p1_review" / "report.html").is_file()


def test_39_a_saved_scene_of_labels_alone_goes_on(alone, host, tmp_path):
    from NoisyLabelSegLib.scene.headless import saveScene

    saveScene(slicer.mrmlScene, tmp_path / "scene.mrb")
    host.close_scene()
    assert slicer.mrmlScene.ReadFromMRB(str(tmp_path / "scene.mrb"), True)
    host.qt_application.processEvents()
    assert isEmpty(alone.case.volume)
    assert not alone.case.case().images
    np.testing.assert_array_equal(alone.truth.truth, drawn(1))


@pytest.mark.parametrize("kind", ["labelmaps", "segmentations"])
def test_39_labels_that_somebody_loaded_alone_are_added_without_a_volume(module, volume, kind):
    array = np.zeros((12, 24, 24), dtype=np.uint8)
    array[3:8, 4:10, 4:10] = 1
    if kind == "labelmaps":
        nodes = [labelmap(array, name) for name in ("ann", "ben")]
    else:
        nodes = [segmentation(name, {"nodule": array > 0}, volume) for name in ("ann", "ben")]
    grid = None
    if kind == "labelmaps":
        for node in nodes:
            node.SetOrigin(5.0, 6.0, 7.0)
        grid = (5.0, 6.0, 7.0)
    slicer.mrmlScene.RemoveNode(volume)
    module.panel.caseSection._ui.addFromSceneButton.click()
    assert sorted(module.panel.case.annotators) == ["ann", "ben"]
    truth = module.panel.truth.truth
    assert int(truth.sum()) == int(array.sum())
    if grid is not None:
        assert module.panel.case.volume.GetOrigin() == pytest.approx(grid)
        np.testing.assert_array_equal(truth, array)
    assert module.panel.caseSection._ui.volumeSelector.currentNode() is module.panel.case.volume


def test_39_where_there_is_an_image_it_is_to_be_chosen(module, volume, readers):
    assert volume.GetName() not in readers
    module.panel.caseSection._ui.addFromSceneButton.click()
    assert "choose the image" in text(module.panel.caseSection._ui.caseMessage).lower()
    assert not module.panel.case.isOpen


def test_39_networks_say_that_there_is_no_image(alone, tmp_path):
    parameters = alone.trainSection._parameters
    parameters.runFolder = str(tmp_path / "run")
    assert "labels only" in alone.trainSection._logic.problem(parameters)
    assert "labels only" in alone.truthSection._prediction.problem("any.nlseg", {})


def test_39_decisions_about_labels_alone_give_the_same_voxels_on_the_command_line(alone, host, files, tmp_path):
    ui = alone.adjudicationSection._ui
    ui.adjudicatorEdit.setProperty("text", "Ann")
    ui.adjudicationSection.collapsed = False
    alone.adjudicationSection._take(1)
    assert alone.adjudication.session.decided
    host.answers.paths.append(str(tmp_path / "decided" / "decisions.json"))
    ui.saveDecisionsButton.click()
    truth = alone.truth.truth
    assert main(["import", "folder", str(files), "--out", str(tmp_path / "study")]) == 0
    place = tmp_path / "decided"
    words = ["--truth", str(place / "reference"), "--decisions", str(place / "decisions.json")]
    assert main(["adjudicate", str(tmp_path / "study"), *words, "--out", str(tmp_path / "again")]) == 0
    np.testing.assert_array_equal(read_labels(tmp_path / "again" / "p1" / "truth.nrrd").array, truth)


@pytest.fixture
def pictures(tmp_path):
    """A study of one picture of two dimensions, with the labels of three readers."""
    from NoisyLabelSegLib.cases import Annotation, Case, Image, Study, write_image

    grid, folder = Geometry.plain((30, 40)), tmp_path / "pictures"
    write_image(folder / "cell.nrrd", Image(np.arange(1200, dtype=np.int16).reshape(30, 40), grid))
    for by, name in enumerate(("ann", "ben", "cid")):
        labels = np.zeros(grid.shape, dtype=np.uint8)
        labels[5 + by : 20, 8 : 20 + by] = 1
        labels[24:28, 30 : 33 + by] = 1
        write_labels(folder / f"{name}.nrrd", labels, grid)
    annotations = {name: Annotation(folder / f"{name}.nrrd") for name in ("ann", "ben", "cid")}
    case = Case("cell", (folder / "cell.nrrd",), annotations, classes=2)
    return Study("pictures", ("background", "cell"), ("ann", "ben", "cid"), (case,)).write(folder)


def test_a_picture_comes_back_as_a_picture(module, host, pictures, tmp_path):
    """Reference, edit, exported truth and the truth of the study are of two dimensions, and decisions are replayed."""
    from NoisyLabelSegLib.widget.export_logic import ExportLogic, Format

    panel = module.panel
    panel.opening.openPath(pictures)
    ExportLogic(panel.case, panel.truth).export({Format.NRRD, Format.NIFTI, Format.REVIEW}, tmp_path / "out")
    assert read_geometry(tmp_path / "out" / "cell_truth.nrrd").shape == (30, 40)
    assert read_geometry(tmp_path / "out" / "cell_truth.nii.gz").shape == (30, 40)
    ui = panel.adjudicationSection._ui
    ui.adjudicatorEdit.setProperty("text", "Ann")
    ui.adjudicationSection.collapsed = False
    panel.adjudicationSection._take(1)
    edit(panel)
    host.wait_for(lambda: panel.adjudication.session.is_edited)
    truth = panel.truth.truth.reshape(30, 40)
    place = tmp_path / "decided"
    host.answers.paths.append(str(place / "decisions.json"))
    ui.saveDecisionsButton.click()
    for file in ("reference/cell/truth.nrrd", "edits/cell.nrrd"):
        assert read_geometry(place / file).shape == (30, 40)
    words = ["--truth", str(place / "reference"), "--decisions", str(place / "decisions.json")]
    assert main(["adjudicate", str(pictures.parent), *words, "--out", str(tmp_path / "again")]) == 0
    np.testing.assert_array_equal(read_labels(tmp_path / "again" / "cell" / "truth.nrrd").array, truth)
    ours, theirs = (Decisions.read(folder / "decisions.json").labels_sha256 for folder in (place, tmp_path / "again"))
    assert ours == theirs, "the labels are known to be the same"
    host.answers.consents.append(True)
    ui.signOffButton.click()
    np.testing.assert_array_equal(read_labels(pictures.parent / "truth" / "cell.nrrd").array, truth)
    words = ["--truth", str(place / "reference"), "--decisions", str(pictures.parent / "decisions.json")]
    assert main(["adjudicate", str(pictures.parent), *words, "--out", str(tmp_path / "signed")]) == 0
    np.testing.assert_array_equal(read_labels(tmp_path / "signed" / "cell" / "truth.nrrd").array, truth)
