"""The section where a case is put together, by clicks."""

from __future__ import annotations

import json
import tempfile

import numpy as np
import pytest
import slicer
from PySide6.QtCore import Qt

from NoisyLabelSegLib.scene.nodes import Role


def ui_of(panel):
    return panel.caseSection._ui


def text(widget):
    return widget.property("text")


def names(panel):
    table = ui_of(panel).annotatorTable
    return [table.item(row, 0).text() for row in range(table.model().rowCount())]


def test_an_empty_scene_is_met_with_the_next_step(module):
    ui = ui_of(module.panel)
    assert "try the demo case" in text(ui.caseMessage)
    ui.addFromSceneButton.click()
    assert "The scene holds no labelmap or segmentation" in text(ui.caseMessage)


def test_add_from_scene_finds_the_labelmaps_of_the_volume(module, volume, readers):
    ui = ui_of(module.panel)
    ui.volumeSelector.setCurrentNode(volume)
    ui.addFromSceneButton.click()
    assert sorted(names(module.panel)) == sorted(readers)


def test_adding_twice_says_that_there_is_nothing_new(opened):
    ui_of(opened).addFromSceneButton.click()
    assert len(names(opened)) == 3
    assert "No further labelmap" in text(ui_of(opened).caseMessage)


def test_a_volume_alone_asks_for_annotators(module, volume):
    ui_of(module.panel).volumeSelector.setCurrentNode(volume)
    assert "Add the annotators" in text(ui_of(module.panel).caseMessage)


def test_one_annotator_is_said_to_be_one(module, volume, readers):
    for name in ("wide", "misses"):
        slicer.mrmlScene.RemoveNode(readers[name])
    module.panel.case.chooseVolume(volume)
    ui_of(module.panel).addFromSceneButton.click()
    assert "one annotator only" in text(ui_of(module.panel).caseMessage)


def test_unticking_an_annotator_fuses_again_without_them(opened):
    before = opened.truth.truth.copy()
    row = names(opened).index("exact")
    ui_of(opened).annotatorTable.item(row, 0).setCheckState(Qt.CheckState.Unchecked)
    assert opened.case.used == tuple(name for name in names(opened) if name != "exact")
    assert not np.array_equal(before, opened.truth.truth)


def test_hiding_an_annotator_hides_the_outlines(module):
    module.panel.opening.openDemo()
    item = ui_of(module.panel).annotatorTable.item(0, 1)
    item.setCheckState(Qt.CheckState.Unchecked)
    assert not module.panel.case.isShown(names(module.panel)[0])
    assert module.panel.case.isShown(names(module.panel)[1])


def test_removing_an_annotator_keeps_the_node(opened, readers):
    ui = ui_of(opened)
    ui.annotatorTable.selectRow(names(opened).index("wide"))
    ui.removeButton.click()
    assert "wide" not in names(opened)
    assert slicer.mrmlScene.IsNodePresent(readers["wide"])


def test_labels_on_another_grid_are_explained_and_can_be_moved_for_good(module, volume, readers):
    coarse = readers["wide"]
    labels = slicer.util.arrayFromVolume(coarse)[:, ::2, ::2].copy()
    slicer.util.updateVolumeFromArray(coarse, labels)
    coarse.SetSpacing(2, 2, 1)
    ui = ui_of(module.panel)
    module.panel.case.chooseVolume(volume)
    ui.addFromSceneButton.click()
    assert "wide: resampled onto the image, since its size is 12 x 12 x 12" in text(ui.caseMessage)
    assert not ui.resampleButton.isHidden()
    ui.resampleButton.click()
    assert text(ui.caseMessage) == ""
    assert ui.resampleButton.isHidden()
    assert "resampled" in module.panel.case.where("wide")


@pytest.fixture
def study(tmp_path):
    """A study of two cases with two annotators."""
    from NoisyLabelSegLib.cases import Geometry, Image, write_image, write_labels

    labels = np.zeros((4, 8, 8), dtype=np.uint8)
    labels[1:3, 2:6, 2:6] = 1
    grid = Geometry.plain(labels.shape)
    cases = []
    for id in ("one", "two"):
        write_image(tmp_path / id / "image.nrrd", Image(labels.astype(np.float32), grid))
        for annotator in ("anna", "bert"):
            write_labels(tmp_path / id / f"{annotator}.nrrd", labels, grid)
        annotations = {annotator: f"{id}/{annotator}.nrrd" for annotator in ("anna", "bert")}
        cases.append({"id": id, "images": [f"{id}/image.nrrd"], "annotations": annotations})
    content = {"format": "noisylabelseg-study/1", "name": "pair", "classes": ["background", "box"]}
    path = tmp_path / "study.json"
    path.write_text(json.dumps({**content, "annotators": ["anna", "bert"], "cases": cases}))
    return path


def test_a_study_opens_with_its_first_case_and_offers_the_others(host, module, study):
    host.answers.paths.append(str(study))
    module.panel.caseSection.onOpenStudy()
    assert names(module.panel) == ["anna", "bert"]
    combo = ui_of(module.panel).caseSelector
    assert [combo.itemText(place) for place in range(2)] == ["one (pair)", "two (pair)"]
    combo.setProperty("currentIndex", 1)
    combo.activated.emit(1)
    assert module.panel.case.folder.case == "two"


def test_the_outlines_of_a_case_leave_with_it_and_come_back(host, module, study):
    panel = module.panel
    panel.opening.openPath(study)
    names = [case for case, _ in panel.opening.cases()]
    first = panel.case.folder

    def drawn():
        nodes = first.nodes(Role.ANNOTATOR, Role.TRUTH)
        return {node.GetName() for node in nodes if node.GetDisplayNode().GetVisibility()}

    panel.case.show(panel.case.annotators[0], shown=False)
    before = drawn()
    panel.opening.openCase(names[1], first.study)
    assert before
    assert not drawn()
    panel.opening.openCase(names[0], first.study)
    assert drawn() == before
    assert not host.faults


def test_a_file_dialog_that_is_canceled_changes_nothing(host, module):
    host.answers.paths.append("")
    module.panel.caseSection.onOpenFolder()
    assert not module.panel.case.isOpen


def test_a_broken_study_is_explained_in_one_sentence(host, module, tmp_path):
    path = tmp_path / "study.json"
    path.write_text("{")
    host.answers.paths.append(str(path))
    module.panel.caseSection.onOpenStudy()
    assert "is not valid JSON" in text(ui_of(module.panel).caseMessage)


def test_a_study_dropped_on_slicer_is_recognized_and_opened(module, study, tmp_path):
    import sys

    source = sys.modules["NoisyLabelSeg"]
    reader = source.NoisyLabelSegFileReader(type("Parent", (), {})())
    other = tmp_path / "other.json"
    other.write_text('{"markups": []}')
    assert reader.canLoadFile(str(study))
    assert not reader.canLoadFile(str(other))
    assert reader.load({"fileName": str(study)})
    assert module.panel.case.folder.case == "one"
    assert all(slicer.mrmlScene.GetNodeByID(id) for id in reader.parent.loadedNodes)


def test_a_dropped_study_that_cannot_be_read_is_explained_in_a_message(host, module, study):
    import sys

    (study.parent / "one" / "image.nrrd").unlink()
    reader = sys.modules["NoisyLabelSeg"].NoisyLabelSegFileReader(type("Parent", (), {})())
    assert not reader.load({"fileName": str(study)})
    assert module.panel is not None
    assert [kind for kind, _ in host.answers.shown] == ["error"]


def test_an_lidc_scan_opens_with_its_readers(host, module, shared_data):
    host.answers.paths.append(str(shared_data / "lidc-ct-xml"))
    module.panel.caseSection.onImport()
    assert module.panel.opening.isImporting, "in another process: the window stays alive"
    host.wait_for(lambda: module.panel.truth.truth is not None)
    assert not module.panel.opening.isImporting
    assert names(module.panel) == ["reader1", "reader2", "reader3", "reader4"]
    assert module.panel.truth.truth.any()


def test_a_folder_without_scans_is_explained(host, module, tmp_path):
    host.answers.paths.append(str(tmp_path))
    module.panel.caseSection.onImport()
    host.wait_for(lambda: not module.panel.opening.isImporting)
    assert str(tmp_path) in text(ui_of(module.panel).caseMessage)
    assert not module.panel.case.isOpen


def test_closing_the_scene_ends_an_import(host, module, shared_data):
    host.answers.paths.append(str(shared_data / "lidc-ct-xml"))
    module.panel.caseSection.onImport()
    host.wait_for(lambda: module.panel.opening._background._newest.job is not None)
    job = module.panel.opening._background._newest.job
    host.close_scene()
    assert not job.is_running()
    assert not module.panel.opening.isImporting


def test_what_is_opened_during_an_import_stays_open_and_no_file_stays(host, module, shared_data, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    host.answers.paths.append(str(shared_data / "lidc-ct-xml"))
    module.panel.caseSection.onImport()
    host.wait_for(lambda: module.panel.opening._background._newest.job is not None)
    job = module.panel.opening._background._newest.job
    ui_of(module.panel).demoButton.click()
    assert not module.panel.opening.isImporting
    host.wait_for(lambda: not job.is_running())
    assert module.panel.case.folder.case == "lesions_000"
    assert "Reading" not in text(ui_of(module.panel).caseMessage)
    assert list(tmp_path.glob("noisylabelseg-import-*")) == []


def test_the_volume_that_people_look_at_is_chosen_when_they_come_to_the_panel(module, volume):
    other = slicer.util.addVolumeFromArray(np.zeros((4, 8, 8), dtype=np.int16), name="other")
    labels = slicer.util.addVolumeFromArray(
        np.zeros((4, 8, 8), dtype=np.uint8), name="labels", nodeClassName="vtkMRMLLabelMapVolumeNode"
    )
    composite = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLSliceCompositeNode")
    composite.SetLayoutName("Red")
    composite.SetBackgroundVolumeID(other.GetID())
    composite.SetLabelVolumeID(labels.GetID())
    assert ui_of(module.panel).volumeSelector.currentNode() is None
    module.exit()
    module.enter()
    assert ui_of(module.panel).volumeSelector.currentNode() is other
    ui_of(module.panel).volumeSelector.setCurrentNode(volume)
    module.exit()
    module.enter()
    assert ui_of(module.panel).volumeSelector.currentNode() is volume, "what people chose stays"


def test_the_only_volume_of_a_scene_is_chosen_also_when_the_scene_is_opened_with_the_panel_in_front(
    host, module, volume, readers, tmp_path
):
    assert readers
    saved = str(tmp_path / "scene.mrb")
    name = volume.GetName()
    parameters = slicer.mrmlScene.GetSingletonNode("NoisyLabelSeg", "vtkMRMLScriptedModuleNode")
    slicer.mrmlScene.RemoveNode(parameters)  # as in a scene that knows nothing of the panel
    assert slicer.mrmlScene.WriteToMRB(saved)
    host.close_scene()
    assert slicer.mrmlScene.ReadFromMRB(saved, True)
    assert ui_of(module.panel).volumeSelector.currentNode().GetName() == name
    ui_of(module.panel).addFromSceneButton.click()
    assert sorted(names(module.panel)) == sorted(["exact", "wide", "misses"])


def test_results_and_labelmaps_are_not_chosen(module, readers):
    for node in [node for node in slicer.mrmlScene.GetNodes() if node.GetName() == "scan"]:
        slicer.mrmlScene.RemoveNode(node)
    assert readers
    module.exit()
    module.enter()
    assert ui_of(module.panel).volumeSelector.currentNode() is None
