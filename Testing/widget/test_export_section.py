"""The section that writes files."""

from __future__ import annotations

import csv
import shutil

import numpy as np
import pytest
import slicer
from pydicom.data import get_testdata_file

from NoisyLabelSegLib.cases import Annotation, Case, Image, read_image, read_labels
from NoisyLabelSegLib.scene.loading import loadCase


def ui_of(panel):
    return panel.exportSection._ui


def tick(panel, *names):
    boxes = ("exportNrrd", "exportNifti", "exportSegmentation", "exportDicom", "exportLabelmap", "exportReview")
    for name in boxes:
        getattr(ui_of(panel), name).setChecked(name in names)


def test_the_button_says_what_is_missing(module, opened):
    ui = ui_of(opened)
    tick(opened)
    assert ui.exportButton.property("toolTip") == "<p>Tick what to export.</p>"
    tick(opened, "exportNrrd")
    assert ui.exportButton.property("toolTip") == "<p>Choose a folder.</p>"
    module.panel.setParameterNode(None)
    assert ui.exportButton.property("toolTip") == "<p>Estimate the truth first.</p>"


@pytest.mark.parametrize(
    ("box", "ending"), [("exportNrrd", ".nrrd"), ("exportNifti", ".nii.gz"), ("exportSegmentation", ".seg.nrrd")]
)
def test_the_truth_is_written_on_the_grid_of_the_volume(opened, tmp_path, box, ending):
    tick(opened, box)
    ui_of(opened).exportPath.currentPath = str(tmp_path)
    ui_of(opened).exportButton.click()
    written = read_labels(tmp_path / f"scan_truth{ending}")
    assert np.array_equal(written.array, opened.truth.truth)
    assert not written.geometry.differences(opened.case.geometry)
    assert ui_of(opened).exportMessage.property("text") == f"Exported: scan_truth{ending}, scan_truth.json."


def test_a_labelmap_is_added_to_the_scene_once(opened):
    tick(opened, "exportLabelmap")
    for _ in range(2):
        ui_of(opened).exportButton.click()
    nodes = slicer.util.getNodes("scan truth labelmap*")
    assert len(nodes) == 1
    assert np.array_equal(slicer.util.arrayFromVolume(*nodes.values()), opened.truth.truth)


def test_the_review_is_written_with_report_and_tables(opened, tmp_path):
    tick(opened, "exportReview")
    ui_of(opened).exportPath.currentPath = str(tmp_path)
    ui_of(opened).exportButton.click()
    folder = tmp_path / "scan_review"
    assert "misses" in (folder / "report.html").read_text(encoding="utf-8")
    with (folder / "statistics.csv").open(encoding="utf-8-sig") as file:
        dice = {row["annotator"]: float(row["dice"]) for row in csv.DictReader(file)}
    assert dice["exact"] == 1


def test_a_dicom_seg_needs_its_series(host, opened, tmp_path):
    tick(opened, "exportDicom")
    ui_of(opened).exportPath.currentPath = str(tmp_path)
    host.answers.paths.append("")
    ui_of(opened).exportButton.click()
    assert "choose the folder of the DICOM series" in ui_of(opened).exportMessage.property("text")


def test_a_folder_that_cannot_be_written_is_explained(opened, tmp_path):
    (tmp_path / "file").write_text("")
    tick(opened, "exportNrrd")
    ui_of(opened).exportPath.currentPath = str(tmp_path / "file")
    ui_of(opened).exportButton.click()
    assert "is a file, not a folder" in ui_of(opened).exportMessage.property("text")


def test_a_dicom_seg_is_written_for_its_series(host, module, tmp_path):
    series = tmp_path / "ct"
    series.mkdir()
    shutil.copy(get_testdata_file("CT_small.dcm"), series / "1.dcm")
    image = read_image(series)
    labels = np.zeros(image.geometry.shape, dtype=np.uint8)
    labels[:, 40:60, 50:70] = 1
    drawn = {name: Annotation(Image(labels, image.geometry)) for name in ("anna", "bert")}
    folder = loadCase(host.scene, Case("ct", (image,), drawn, classes=2))
    module.panel.case.openFolder(folder, ("background", "tumour"))
    tick(module.panel, "exportDicom")
    ui_of(module.panel).exportPath.currentPath = str(tmp_path / "out")
    host.answers.paths.append(str(series))
    ui_of(module.panel).exportButton.click()
    assert ui_of(module.panel).exportMessage.property("text") == "Exported: ct_truth.dcm, ct_truth.json."
    written = read_labels(tmp_path / "out" / "ct_truth.dcm")
    assert np.array_equal(written.array.reshape(labels.shape), labels)
