"""Models of single objects: a point or a box of Markups, the card before the first run, and running a model anyway."""

from __future__ import annotations

import numpy as np
import slicer
import vtk

from NoisyLabelSegLib.resources import resource_path

NODULES = str(resource_path("models") / "lidc-nodules.nlseg")
DEMO = str(resource_path("models") / "demo-nodules.nlseg")


def ui_of(panel):
    return panel.truthSection._ui


def choose_model(panel, path):
    """A model on a scan alone, as people would choose it."""
    panel.truthSection.selectModel(path)
    return ui_of(panel)


def visible(widget):
    return not widget.isHidden()


def test_the_card_is_shown_before_the_first_run_and_only_for_models_that_have_one(module):
    ui = choose_model(module.panel, NODULES)
    assert visible(ui.modelCard)
    text = ui.modelCard.property("plainText")
    for heading in ("Intended use", "Training data", "Metrics", "Limitations", "Ethical considerations", "License"):
        assert f"{heading}: " in text, text
    module.panel.truthSection._model.wasRun(NODULES)
    module.panel.truthSection.update()
    assert not visible(ui.modelCard)
    ui.methodSelector.setProperty("currentIndex", 0)
    assert not any(visible(widget) for widget in (ui.modelCard, ui.placeSelector, ui.placeButton, ui.anywayBox))


def test_a_model_of_single_objects_asks_for_a_point_and_others_do_not(module):
    ui = choose_model(module.panel, NODULES)
    assert visible(ui.placeSelector)
    assert visible(ui.anywayBox)
    assert not visible(choose_model(module.panel, DEMO).placeSelector)


def test_a_whole_scan_needs_a_point_and_says_so(host, module):
    volume = slicer.util.addVolumeFromArray(np.full((6, 200, 200), -1000, dtype=np.int16), name="ct")
    module.panel.case.chooseVolume(volume)
    ui = choose_model(module.panel, NODULES)
    host.wait_for(lambda: module.panel.case.isReady)
    module.panel.truthSection.update()
    assert not ui.estimateButton.property("enabled")
    assert "place a point" in ui.estimateButton.property("toolTip")
    ui.placeButton.click()
    node = ui.placeSelector.currentNode()
    assert node.GetName() == "nodule"
    assert not ui.estimateButton.property("enabled")
    node.AddControlPoint(3.0, 4.0, 5.0)
    module.panel.truthSection.update()
    assert ui.estimateButton.property("enabled")
    assert placeOf(node) == {"at": (3.0, 4.0, 5.0)}


def test_a_box_is_two_corners_in_ras(module):
    assert module
    box = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLMarkupsROINode", "box")
    assert placeOf(box) == {}
    box.SetCenter(1.0, 2.0, 3.0)
    box.SetSize(2.0, 4.0, 6.0)
    np.testing.assert_allclose(placeOf(box)["roi"], (0, 0, 0, 2, 4, 6))
    assert placeOf(None) == {}


def test_a_nodule_of_a_real_scan_is_outlined_at_a_point_beside_four_readers(host, module, shared_data):
    host.answers.paths.append(str(shared_data / "lidc-ct-xml"))
    module.panel.caseSection.onImport()
    host.wait_for(lambda: module.panel.case.isReady and len(module.panel.case.annotators) == 4, seconds=60)
    host.wait_for(lambda: module.panel.truth.truth is not None, seconds=60)
    consensus = module.panel.truth.truth > 0
    z, y, x = (round(float(axis.mean())) for axis in np.nonzero(consensus))
    node = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLMarkupsFiducialNode", "nodule")
    node.AddControlPoint(*_ras(module.panel.case.folder.image, (x, y, z)))
    ui = choose_model(module.panel, NODULES)
    ui.placeSelector.setCurrentNode(node)
    assert ui.estimateButton.property("enabled"), ui.estimateButton.property("toolTip")
    ui.estimateButton.click()
    host.wait_for(lambda: not module.panel.truthSection._job.running, seconds=120)
    found = module.panel.truth.truth > 0
    overlaps = [_dice(found, labels > 0) for labels in module.panel.case.labels().values()]
    assert min(overlaps) > 0.7, (overlaps, ui.truthMessage.property("text"))
    assert "of the readers" in ui.truthMessage.property("text")
    assert not visible(ui.modelCard)


def test_a_scan_that_the_model_is_not_for_is_refused_and_runs_anyway(host, module):
    image = np.random.default_rng(0).integers(0, 400, (4, 200, 200)).astype(np.int16)
    volume = slicer.util.addVolumeFromArray(image, name="mr")
    module.panel.case.chooseVolume(volume)
    host.wait_for(lambda: module.panel.case.isReady)
    node = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLMarkupsFiducialNode", "nodule")
    node.AddControlPoint(*_ras(volume, (100, 100, 2)))
    ui = choose_model(module.panel, NODULES)
    ui.placeSelector.setCurrentNode(node)
    ui.estimateButton.click()
    host.wait_for(lambda: not module.panel.truthSection._job.running, seconds=120)
    assert "does not look like CT" in ui.truthMessage.property("text")
    ui.anywayBox.setProperty("checked", True)
    ui.estimateButton.click()
    host.wait_for(lambda: not module.panel.truthSection._job.running, seconds=120)
    assert "does not look like CT" not in ui.truthMessage.property("text")


def placeOf(node):
    from NoisyLabelSegLib.widget.model_controls import placeOf

    return placeOf(node)


def _ras(volume, ijk):
    matrix = vtk.vtkMatrix4x4()
    volume.GetIJKToRASMatrix(matrix)
    return matrix.MultiplyPoint((*ijk, 1.0))[:3]


def _dice(one, other):
    return 2 * np.count_nonzero(one & other) / (np.count_nonzero(one) + np.count_nonzero(other))
