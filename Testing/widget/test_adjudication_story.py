"""The story of an adjudication on real data, clicked through: a lung nodule on CT that four readers outlined."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pydicom
import pytest
import slicer
from PySide6.QtWidgets import QPushButton

from NoisyLabelSegLib.cases import Image, read_image, read_labels
from NoisyLabelSegLib.cases.dicom_seg import read_dicom_seg
from NoisyLabelSegLib.cli import main
from NoisyLabelSegLib.decisions import Decisions
from NoisyLabelSegLib.progress import finished
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.scene.segments import fillSegmentation
from NoisyLabelSegLib.scene.volumes import LABELMAP, SCALAR, fillVolume
from NoisyLabelSegLib.widget.study_files import writeStudy, writingCase

READERS = ("reader1", "reader2", "reader3", "reader4")


class Mouse:
    """Does what people do with the mouse, and counts the clicks; what is off or hidden cannot be clicked."""

    def __init__(self) -> None:
        self.clicks = 0

    def press(self, button):
        assert button.property("enabled")
        assert not button.isHidden()
        self.clicks += 1
        button.click()

    def choose(self, combo, title):
        """One click opens the list, one chooses."""
        self.clicks += 2
        place = combo.findText(title)
        assert place >= 0
        combo.setProperty("currentIndex", place)

    def open(self, section):
        self.clicks += 1
        section.collapsed = False

    def taken(self):
        """How many clicks there were since this was last asked."""
        clicks, self.clicks = self.clicks, 0
        return clicks


def text(widget):
    return widget.property("text")


@pytest.fixture
def lidc(shared_data) -> Path:
    return shared_data / "lidc-ct-xml" / "LIDC-IDRI-0001"


@pytest.fixture
def scan(host, lidc):
    """The CT and the labelmaps of its readers, as somebody has loaded them."""
    assert host.scene is slicer.mrmlScene
    nodes = {}
    for name, kind in {"ct": SCALAR, **dict.fromkeys(READERS, LABELMAP)}.items():
        image: Image = read_image(lidc / f"{name}.nrrd")
        nodes[name] = slicer.mrmlScene.AddNewNodeByClass(kind, name)
        fillVolume(nodes[name], image.array, image.geometry)
    return nodes["ct"]


def take(panel, mouse, place):
    buttons = panel.adjudicationSection._ui.readersArea.findChildren(QPushButton)
    mouse.press([button for button in buttons if not button.isHidden()][place])


def edit_a_region(panel, number):
    """Paints over one disagreement and one voxel beside, in the truth's node, as Segment Editor does."""
    session, labels = panel.adjudication.session, panel.case.savedTruth()
    place, mask = session.regions.mask(number)
    inner = labels[session.regions.box]
    inner[place][mask] = 1 - inner[place][mask].max()
    labels[0, 0, 0] = 1
    node = panel.case.folder.find(Role.TRUTH)
    fillSegmentation(node, labels, panel.case.geometry, panel.case.classes[1:], [(1.0, 1.0, 0.0)])
    return labels


def test_four_readers_of_a_nodule_are_adjudicated_signed_off_exported_and_read_again(
    host, module, scan, lidc, tmp_path
):
    panel, mouse = module.panel, Mouse()
    case, truth, ui, export = (
        section._ui
        for section in (panel.caseSection, panel.truthSection, panel.adjudicationSection, panel.exportSection)
    )

    mouse.clicks += 2  # the list of volumes, and the volume
    case.volumeSelector.setCurrentNode(scan)
    mouse.press(case.addFromSceneButton)
    host.wait_for(lambda: panel.truth.truth is not None)
    assert mouse.taken() <= 3, "from loaded nodes to the truth"
    estimate = panel.truth.truth.copy()

    mouse.choose(truth.methodSelector, "Reference: reader3")
    host.wait_for(lambda: panel.truth.described() == "the segmentation of reader3")
    assert mouse.taken() <= 2, "a reader as the reference"
    mouse.choose(truth.methodSelector, "Weighted majority")
    host.wait_for(lambda: panel.truth.record.method == "weighted-majority")
    np.testing.assert_array_equal(panel.truth.truth, estimate)
    before = scores(host, panel)

    ui.adjudicatorEdit.setProperty("text", "Ann")
    ui.shareBox.setProperty("value", 75)  # where three of four agree nothing is asked
    mouse.open(ui.adjudicationSection)
    host.wait_for(lambda: panel.adjudication.session is not None and not panel.adjudicationSection.running)
    session = panel.adjudication.session
    assert session.undecided == list(range(1, 46))
    mouse.taken()
    take(panel, mouse, 0)
    at_rest(host, panel)
    assert mouse.taken() <= 2, "one disagreement"
    take(panel, mouse, 1)
    at_rest(host, panel)
    for button in (ui.majorityButton, ui.estimateChoiceButton, ui.unclearButton):
        mouse.press(button)
        at_rest(host, panel)
    assert session.next_undecided() == 6
    edited = edit_a_region(panel, 6)
    host.wait_for(lambda: 6 in session.decided)
    at_rest(host, panel)
    np.testing.assert_array_equal(panel.truth.truth, edited)
    after = scores(host, panel)
    assert before != after

    case.annotatorTable.item(0, 0).setCheckState(slicer_unchecked())
    at_rest(host, panel)
    np.testing.assert_array_equal(panel.truth.truth, edited)

    host.answers.consents.append(True)  # 39 are undecided
    mouse.press(ui.signOffButton)
    at_rest(host, panel)
    assert text(ui.signedText).startswith("Signed off by Ann")
    mouse.taken()

    out = tmp_path / "out"
    mouse.open(export.exportSection)
    for name in ("exportNrrd", "exportNifti", "exportSegmentation"):
        getattr(export, name).setChecked(True)
    mouse.clicks += 1
    export.exportPath.currentPath = str(out)
    mouse.clicks += 1
    export.exportDicom.setChecked(True)
    host.answers.paths.append(str(lidc / "dicom"))
    mouse.clicks += 1  # the folder of the series
    mouse.press(export.exportButton)
    host.wait_for(lambda: not panel.exportSection.isExporting)
    assert mouse.taken() <= 5, "a DICOM SEG"
    for ending in ("nrrd", "nii.gz", "seg.nrrd"):
        np.testing.assert_array_equal(read_labels(out / f"ct_truth.{ending}").array, edited)
    seg = read_dicom_seg(out / "ct_truth.dcm", images=lidc / "dicom")
    np.testing.assert_array_equal(seg.as_labels().array, edited)
    says_how_it_came_about(panel, out)

    mrb = str(tmp_path / "scene.mrb")
    assert slicer.mrmlScene.WriteToMRB(mrb)
    host.answers.paths.append(str(tmp_path / "decisions" / "decisions.json"))
    ui.saveDecisionsButton.click()
    at_rest(host, panel)
    study = as_study(panel, tmp_path / "study")
    host.close_scene()
    assert slicer.mrmlScene.ReadFromMRB(mrb, True)
    host.wait_for(lambda: panel.case.isReady and panel.truth.truth is not None)
    np.testing.assert_array_equal(panel.truth.truth, edited)
    host.wait_for(lambda: panel.adjudication.session is not None and not panel.adjudicationSection.running)
    assert len(panel.adjudication.session.decided) == 7
    assert text(ui.signedText).startswith("Signed off by Ann")
    host.wait_for(lambda: not panel.annotatorsSection.isReviewing)
    assert scores(host, panel) == after

    place, again = tmp_path / "decisions", tmp_path / "again"
    words = ["--truth", str(place / "reference"), "--decisions", str(place / "decisions.json"), "--out", str(again)]
    assert main(["adjudicate", str(study), *words]) == 0
    np.testing.assert_array_equal(read_labels(again / "ct" / "truth.nrrd").array, edited)
    made = Decisions.read(again / "decisions.json").decisions
    assert [decision.by for decision in made] == ["Ann"] * 7


def slicer_unchecked():
    from PySide6.QtCore import Qt

    return Qt.CheckState.Unchecked


def at_rest(host, panel):
    host.wait_for(lambda: not panel.adjudicationSection.running and not panel.truthSection._steps.running)


def scores(host, panel):
    panel.annotatorsSection.review()
    host.wait_for(lambda: not panel.annotatorsSection.isReviewing)
    return {row.annotator: row.dice for row in panel.annotators.rows()}


def says_how_it_came_about(panel, out):
    """Every exported file says the same about the truth."""
    sentence = panel.truth.described()
    assert sentence.startswith("Weighted majority of the annotators' labels (reader1, reader2, reader3, reader4); ")
    assert "7 of 45 disagreements decided by Ann" in sentence
    assert "1 of them unclear; edited by hand by Ann" in sentence
    assert "signed off by Ann" in sentence
    assert sentence.encode() in (out / "ct_truth.nrrd").read_bytes()
    content = json.loads((out / "ct_truth.json").read_text(encoding="utf-8"))
    assert (content["truth"], content["edited"], content["signed_off_by"]) == (sentence, True, "Ann")
    header = pydicom.dcmread(out / "ct_truth.dcm", stop_before_pixels=True)
    assert header.ImageComments == sentence
    assert header.ContentCreatorName == "Ann"
    assert header.SegmentSequence[0].SegmentAlgorithmType == "SEMIAUTOMATIC"
    assert sentence.replace(":", "").encode() in (out / "ct_truth.seg.nrrd").read_bytes()
    report = (out / "ct_review" / "report.html").read_text(encoding="utf-8")
    assert "7 of 45 disagreements decided by Ann" in report


def as_study(panel, folder):
    """The readers' labels as a study on the disk; returns the path of its study.json."""
    case = finished(writingCase(panel.case.case(), folder))
    return writeStudy([case], folder, name="readers", classes=panel.case.classes)
