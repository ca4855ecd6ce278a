"""A clinician's, a trainee's and a researcher's way through the panel, on the demo case and on real scans."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import slicer
from scipy import ndimage

from NoisyLabelSegLib.cases import read_image, read_labels
from NoisyLabelSegLib.review.compare.mistakes import MistakeKind
from NoisyLabelSegLib.scene.arrays import arrayOf
from NoisyLabelSegLib.scene.colors import classColor
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.scene.segments import fillSegmentation
from NoisyLabelSegLib.scene.volumes import LABELMAP, SCALAR, fillVolume


def text(widget):
    return widget.property("text")


def reviewed(host, panel):
    host.wait_for(lambda: panel.annotators.review is not None and not panel.annotatorsSection.isReviewing)


def choose(panel, overlay):
    combo = panel.displaySection._ui.overlaySelector
    combo.setProperty("currentIndex", combo.findData(overlay))
    combo.activated.emit(combo.property("currentIndex"))


def load(path, name, *, labels=False):
    image = read_labels(path) if labels else read_image(path)
    node = slicer.mrmlScene.AddNewNodeByClass(LABELMAP if labels else SCALAR, name)
    fillVolume(node, image.array, image.geometry)
    return node


@pytest.fixture
def lidc(module, shared_data):
    """A nodule of LIDC-IDRI with the outlines of its readers, as nodes in the scene."""
    folder = shared_data / "lidc-nodules-3d" / "LIDC-IDRI-0015_nodule0"
    readers = sorted(folder.glob("reader*.nrrd"))
    volume = load(folder / "image.nrrd", "CT")
    for place, path in enumerate(readers, start=1):
        load(path, f"radiologist {place}", labels=True)
    module.panel.case.chooseVolume(volume)
    module.panel.case.addFromScene()
    return module.panel


def test_a_clinician_sees_on_the_demo_case_where_people_differ_and_how_sure_the_estimate_is(host, module):
    panel = module.panel
    panel.caseSection._ui.demoButton.click()
    reviewed(host, panel)
    choose(panel, "agreement")
    assert panel.case.folder.find(Role.AGREEMENT) is not None
    choose(panel, "confidence")
    assert panel.case.folder.find(Role.CONFIDENCE) is not None
    assert text(panel.displaySection._ui.displayMessage) == ""


def test_a_clinician_compares_two_methods_on_a_real_nodule(host, lidc):
    reviewed(host, lidc)
    ui = lidc.compareSection._ui
    ui.firstSelector.setProperty("currentIndex", ui.firstSelector.findData("majority"))
    ui.secondSelector.setProperty("currentIndex", ui.secondSelector.findData("staple"))
    ui.compareButton.click()
    host.wait_for(lambda: lidc.compareSection._logic.isShown)
    assert text(ui.compareText).startswith(("Dice 0.", "Dice 1."))


def test_a_trainee_draws_a_real_nodule_first_and_is_scored_against_the_radiologists(host, lidc):
    reviewed(host, lidc)
    host.application.widgets["SegmentEditor"] = SimpleNamespace(
        editor=SimpleNamespace(setSegmentationNode=lambda _node: None, setSourceVolumeNode=lambda _node: None)
    )
    experts = list(lidc.case.labels().values())
    ui = lidc.practiceSection._ui
    ui.drawButton.click()
    node = lidc.case.folder.find(Role.DRAWING)
    fillSegmentation(node, experts[0], lidc.case.geometry, lidc.case.classes[1:], [classColor(1)])
    ui.revealButton.click()
    host.wait_for(lambda: lidc.practice.score is not None)
    assert lidc.practice.score.dice_undisputed == 1.0, "an expert's own outline is within the spread"
    assert list(lidc.practice.mistakes) == []
    del host.application.widgets["SegmentEditor"]


def test_a_researcher_finds_the_errors_of_everybody_and_sorts_them(host, lidc):
    reviewed(host, lidc)
    ui = lidc.annotatorsSection._ui
    table = ui.statisticsTable
    table.horizontalHeader().sectionClicked.emit(1)
    dice = [float(table.item(row, 1).text()) for row in range(table.model().rowCount())]
    assert dice == sorted(dice)
    assert len(dice) == len(lidc.case.annotators) > 2
    for row in range(len(dice)):
        table.selectRow(row)
        if ui.mistakesTable.model().rowCount():
            ui.mistakesTable.selectRow(0)
            assert lidc.annotators.mistake.annotator == lidc.annotatorsSection.annotator


def test_a_researcher_steps_through_the_structures_of_a_chest_ct(host, module, shared_data):
    found = sorted((shared_data / "demo-volumes" / "ct-chest-slicer").glob("*.seg.nrrd"))
    if not found:
        pytest.skip("needs the chest CT")
    from NoisyLabelSegLib.cases.file_kinds import kind_of
    from NoisyLabelSegLib.cases.segments import read_segments

    segmentation = read_segments(found[0], kind_of(found[0]))
    geometry = segmentation.geometry
    few = segmentation.segments[:3]
    labels = np.zeros(geometry.shape, dtype=np.uint8)
    for number, segment in enumerate(few, start=1):
        labels[segmentation.mask(segment)] = number
    volume = slicer.mrmlScene.AddNewNodeByClass(SCALAR, "chest")
    fillVolume(volume, (100 * labels.astype(np.int16)), geometry)
    other = np.where(labels == 2, 1, labels).astype(np.uint8)
    for name, drawn in (("one", labels), ("two", labels), ("three", other)):
        node = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLSegmentationNode", name)
        node.CreateDefaultDisplayNodes()
        fillSegmentation(node, drawn, geometry, [each.name for each in few], [classColor(n) for n in (1, 2, 3)])
        node.SetNodeReferenceID(node.GetReferenceImageGeometryReferenceRole(), volume.GetID())
    panel = module.panel
    panel.case.chooseVolume(volume)
    panel.case.addFromScene()
    host.wait_for(lambda: panel.case.isReady and panel.truth.truth is not None)
    reviewed(host, panel)
    assert panel.case.classes == ("background", *(each.name for each in few))
    slicer.mrmlScene.AddNewNodeByClass("vtkMRMLSliceCompositeNode").SetLayoutName("Red")
    composite = slicer.mrmlScene.GetFirstNodeByClass("vtkMRMLSliceCompositeNode")
    panel.annotatorsSection._ui.statisticsTable.selectRow(2)
    for number, codes in ((1, {0, 1, 3}), (2, {0, 2}), (3, {0, 1})):
        panel.classesSection.onNext()
        host.wait_for(lambda: not panel.annotatorsSection.isReviewing)
        assert panel.annotators.shownClass == few[number - 1].name
        errors = slicer.mrmlScene.GetNodeByID(composite.GetLabelVolumeID())
        assert set(np.unique(arrayOf(errors))) == codes, "three takes the second structure for the first"


@pytest.fixture
def ms(host, module, shared_data):
    """Slices of a FLAIR volume with MS lesions: the published consensus, and three people who drew otherwise."""
    folder = shared_data / "ms-lesion-mr" / "patient19"
    if not folder.is_dir():
        pytest.skip("needs the MS study")
    flair, consensus = read_image(folder / "flair.nii.gz"), read_labels(folder / "lesion_consensus.nii.gz")
    few = slice(60, 80)
    geometry = replace(flair.geometry, shape=(20, *flair.geometry.shape[1:]))
    lesions = consensus.array[few] > 0
    objects, count = ndimage.label(lesions, np.ones((3, 3, 3)))
    largest = 1 + int(np.argmax(np.bincount(objects.ravel())[1:]))
    drawn = {
        "wide": ndimage.binary_dilation(lesions),
        "tight": ndimage.binary_erosion(lesions),
        "trainee": lesions & (objects != largest),
    }
    assert count > 3
    volume = slicer.mrmlScene.AddNewNodeByClass(SCALAR, "FLAIR")
    fillVolume(volume, flair.array[few], geometry)
    for name, mask in {**drawn, "consensus": lesions}.items():
        node = slicer.mrmlScene.AddNewNodeByClass(LABELMAP, name)
        fillVolume(node, mask.astype(np.uint8), geometry)
    panel = module.panel
    module.exit()
    module.enter()
    panel.caseSection._ui.addFromSceneButton.click()
    host.wait_for(lambda: len(panel.case.annotators) == 4 and panel.case.isReady)
    panel.case.remove(["consensus"])  # it is what they are compared with, not one of them
    method = panel.truthSection._ui.methodSelector
    method.setProperty("currentIndex", method.findText("Reference: consensus"))
    reviewed(host, panel)
    return panel, lesions, drawn


def test_a_clinician_finds_the_mr_study_chosen_and_compares_three_readers_with_the_consensus(ms):
    panel, lesions, drawn = ms
    assert panel.caseSection._ui.volumeSelector.currentNode().GetName() == "FLAIR"
    assert np.array_equal(panel.truth.truth, lesions)
    for row in panel.annotators.rows():
        mask = drawn[row.annotator]
        expected = 2 * np.count_nonzero(mask & lesions) / (np.count_nonzero(mask) + np.count_nonzero(lesions))
        assert row.dice == pytest.approx(expected), row.annotator
    choose(panel, "agreement")
    marked = arrayOf(panel.case.folder.find(Role.AGREEMENT))
    assert np.array_equal(marked, sum(mask.astype(int) for mask in drawn.values()))


def test_a_trainee_is_led_to_the_lesion_that_was_missed_and_a_researcher_sees_who_else_errs(ms):
    panel, lesions, drawn = ms
    ui = panel.annotatorsSection._ui
    ui.statisticsTable.selectRow([row.annotator for row in panel.annotators.rows()].index("trainee"))
    ui.nextButton.click()
    mistake = panel.annotators.mistake
    assert mistake.kind is MistakeKind.MISSED
    missed = np.count_nonzero(lesions & ~drawn["trainee"])
    assert mistake.size == pytest.approx(missed, rel=0.02), "one voxel is a cubic millimeter"
    assert "missed" in text(ui.annotatorSentence)
    bias = {row.annotator: row.boundary_bias_mm for row in panel.annotators.rows()}
    assert bias["tight"] < 0 < bias["wide"]
    ui.oneViewEachBox.setChecked(True)
    layout = slicer.mrmlScene.GetFirstNodeByClass("vtkMRMLLayoutNode")
    assert layout.GetCurrentLayoutDescription().count("<view ") == 3
