"""The section that estimates the truth."""

from __future__ import annotations

import json
import shutil
import zipfile

import numpy as np
import pytest
import slicer
from PySide6.QtCore import Qt

from NoisyLabelSegLib.fusion import METHODS
from NoisyLabelSegLib.scene.nodes import Role


def ui_of(panel):
    return panel.truthSection._ui


def write_card(path, **content):
    """A model package with a valid card, and nothing where the weights would be."""
    classes = content.get("classes", ["background", "lesion"])
    card = {
        "format": "noisylabelseg-model/1",
        "architecture": {"dimensions": 2, "channels": 1, "classes": len(classes), "annotators": 1},
        "classes": classes,
        "annotators": ["ann"],
        "preprocessing": {},
        "provenance": {"study": "lesions", "cases": 30},
        **content,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("model.json", json.dumps(card))
        archive.writestr("weights.safetensors", b"")
    return path


def choose(panel, method):
    ui = ui_of(panel)
    ui.methodSelector.setProperty("currentIndex", ui.methodSelector.findData(method))


def test_every_method_is_offered_with_a_sentence(module):
    ui = ui_of(module.panel)
    offered = [ui.methodSelector.itemData(place) for place in range(ui.methodSelector.model().rowCount())]
    assert offered == [*METHODS, "model", "model-with-labels"]
    for method in METHODS:
        choose(module.panel, method)
        assert ui.methodSentence.property("text") == METHODS[method].sentence


def test_without_a_case_the_button_says_why_it_is_off(module):
    ui = ui_of(module.panel)
    assert not ui.estimateButton.property("enabled")
    assert "demo case" in ui.estimateButton.property("toolTip")


def test_opening_a_case_estimates_at_once(opened, readers):
    exact = slicer.util.arrayFromVolume(readers["exact"])
    assert np.array_equal(opened.truth.truth, exact)
    node = opened.case.folder.find(Role.TRUTH)
    assert node.GetClassName() == "vtkMRMLSegmentationNode"


def test_another_method_estimates_again(opened):
    choose(opened, "staple")
    first = opened.case.folder.find(Role.PROBABILITY).GetMTime()
    choose(opened, "mean")
    assert opened.case.folder.find(Role.PROBABILITY).GetMTime() > first


def test_without_at_once_nothing_happens_before_the_button_is_pressed(opened):
    ui_of(opened).liveBox.setChecked(False)
    before = opened.truth.truth
    opened.caseSection._ui.annotatorTable.item(0, 0).setCheckState(Qt.CheckState.Unchecked)
    assert opened.truth.truth is before
    ui_of(opened).estimateButton.click()
    assert opened.truth.truth is not before


def test_with_nobody_ticked_the_panel_asks_for_somebody(opened):
    table = opened.caseSection._ui.annotatorTable
    for row in range(3):
        table.item(row, 0).setCheckState(Qt.CheckState.Unchecked)
    ui = ui_of(opened)
    assert not ui.estimateButton.property("enabled")
    assert ui.estimateButton.property("toolTip") == "<p>Tick at least one annotator.</p>"


def test_the_confidence_overlay_is_drawn_and_removed(opened):
    ui_of(opened).confidenceBox.setChecked(True)
    assert opened.case.folder.find(Role.CONFIDENCE) is not None
    ui_of(opened).confidenceBox.setChecked(False)
    assert opened.case.folder.find(Role.CONFIDENCE) is None


def test_edited_outlines_are_read_again_when_the_button_is_pressed(opened, readers):
    array = slicer.util.arrayFromVolume(readers["exact"])
    array[:] = 0
    slicer.util.arrayFromVolumeModified(readers["exact"])
    ui_of(opened).estimateButton.click()
    assert opened.case.labels()["exact"].max() == 0


def test_a_model_is_asked_for(opened):
    choose(opened, "model")
    ui = ui_of(opened)
    ui.modelSelector.setProperty("currentIndex", ui.modelSelector.findData(""))
    assert ui.modelSelector.property("currentText") == "Another file..."
    assert not ui.modelPath.isHidden()
    assert "Choose a trained model" in ui.estimateButton.property("toolTip")
    ui.modelPath.currentPath = "/nowhere/model.nlseg"
    assert "does not exist" in ui.estimateButton.property("toolTip")


def test_in_a_large_case_probabilities_wait_for_the_confidence_overlay(opened, monkeypatch):
    monkeypatch.setattr("NoisyLabelSegLib.widget.truth_logic.DEFERRED_PROBABILITY_VOXELS", 10)
    choose(opened, "majority")
    assert opened.case.folder.find(Role.PROBABILITY) is None
    ui_of(opened).confidenceBox.setChecked(True)
    first = opened.case.folder.find(Role.PROBABILITY)
    assert first is not None
    choose(opened, "mean")
    assert opened.case.folder.find(Role.CONFIDENCE) is not None, "the overlay follows the method while it is shown"


@pytest.mark.usefixtures("no_torch")
def test_without_torch_a_model_says_what_is_missing_and_the_other_methods_work(host, shelf_folder, opened, model):
    shutil.copy(model, shelf_folder / "tiny.nlseg")
    opened.truthSection.selectModel(str(shelf_folder / "tiny.nlseg"))
    ui = ui_of(opened)
    assert "needs PyTorch, which is not installed" in ui.truthMessage.property("text")
    before = opened.truth.truth
    host.answers.consents.append(False)
    ui.estimateButton.click()
    assert [kind for kind, _ in host.answers.shown] == ["confirm"]
    assert not opened.truthSection._job.running
    host.answers.consents.append(True)
    ui.estimateButton.click()
    assert "install PyTorch in the Extensions Manager" in ui.truthMessage.property("text")
    assert opened.truth.truth is before
    choose(opened, "majority")
    assert opened.truth.truth is not before
    assert ui.truthMessage.property("text") in ("", "Majority gives the same estimate.")


def test_models_of_the_extension_are_offered_by_the_name_on_their_card(shelf_folder, module):
    write_card(shelf_folder / "b.nlseg", provenance={"study": "nodules", "cases": 7}, intended_use="Finds nodules.")
    write_card(shelf_folder / "a.nlseg")
    (shelf_folder / "broken.nlseg").write_text("no zip")
    module.panel.setParameterNode(module.logic.getParameterNode())
    choose(module.panel, "model")
    combo = ui_of(module.panel).modelSelector
    titles = [combo.itemText(place) for place in range(combo.model().rowCount())]
    assert titles == ["lesions: lesion, 30 cases", "nodules: lesion, 7 cases", "Another file..."]
    combo.setProperty("currentIndex", 1)
    assert combo.property("toolTip") == "<p>Finds nodules.</p>"
    assert module.panel.truthSection.model == str(shelf_folder / "b.nlseg")


def test_a_model_that_was_opened_is_offered_in_the_next_session(shelf_folder, module, tmp_path):
    path = write_card(tmp_path / "mine" / "model.nlseg", provenance={"study": "mine", "cases": 2})
    assert not list(shelf_folder.iterdir())
    choose(module.panel, "model")
    ui = ui_of(module.panel)
    ui.modelPath.currentPath = str(path)
    assert ui.modelSelector.property("currentText") == "mine: lesion, 2 cases"
    assert ui.modelPath.isHidden()
    slicer.mrmlScene.Clear(0)
    module.panel.setParameterNode(module.logic.getParameterNode())
    assert ui.modelSelector.findData(str(path)) == 0
    path.unlink()
    module.panel.setParameterNode(module.logic.getParameterNode())
    assert ui.modelSelector.findData(str(path)) == -1


def test_a_scene_from_another_computer_finds_the_extension_s_own_model(shelf_folder, module):
    write_card(shelf_folder / "lesions.nlseg")
    parameters = module.panel.truthSection._parameters
    parameters.model, parameters.method = "/elsewhere/Resources/models/lesions.nlseg", "model"
    module.panel.setParameterNode(module.logic.getParameterNode())
    assert module.panel.truthSection.model == str(shelf_folder / "lesions.nlseg")


def test_a_model_with_other_classes_is_not_run(shelf_folder, opened):
    path = write_card(shelf_folder / "organs.nlseg", classes=["background", "liver", "lung"])
    opened.truthSection.selectModel(str(path))
    ui = ui_of(opened)
    assert ui.estimateButton.property("toolTip") == (
        "<p>The model knows 2 classes, but the annotators drew 1; choose another model.</p>"
    )
