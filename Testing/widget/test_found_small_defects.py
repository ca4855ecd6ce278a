"""Training, plots and small defects seen inside the real application; numbered ones are named after their number."""

from __future__ import annotations

import numpy as np
import pytest
import slicer
from PySide6.QtWidgets import QFileDialog

from NoisyLabelSegLib.jobs.reports import Progressed
from NoisyLabelSegLib.scene.colors import legendOf
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.scene.tables import rowsOf
from Testing.widget.nodes import segmentation

CURVES = "Training"


def text(widget):
    return widget.property("text")


def progressed(epoch, loss):
    return Progressed(stage="train", done=epoch, total=3, metrics={"loss": loss})


def losses(train):
    return [row["loss"] for row in rowsOf(train._logic._curveFolder.find(Role.CURVES, label=CURVES))]


@pytest.fixture
def study(module, tmp_path):
    """The panel with the first case of a study of three."""
    from NoisyLabelSegLib.cli import main

    folder = tmp_path / "study"
    assert main(["simulate", "lesions", "--cases", "3", "--size", "32,32,8", "--out", str(folder)]) == 0
    module.panel.opening.openPath(folder / "study.json")
    return folder


def begin(train, tmp_path):
    """Prepares a training as a click on Train does."""
    train._parameters.runFolder = str(tmp_path / "run")
    for _ in train._logic.preparing(train._parameters, resume=False):
        pass


def test_11_canceling_a_training_brings_back_the_curves_of_the_one_before(opened, tmp_path):
    train = opened.trainSection
    begin(train, tmp_path)
    train._onProgress(progressed(1, 3.0))
    train._onProgress(progressed(2, 2.0))
    begin(train, tmp_path)
    train._onProgress(progressed(1, 9.0))
    assert losses(train) == [9.0]
    train._onCanceled()
    assert losses(train) == [3.0, 2.0]


def test_11_canceling_the_first_training_brings_back_the_views_without_a_plot(opened, tmp_path):
    train = opened.trainSection
    layout = slicer.mrmlScene.GetFirstNodeByClass("vtkMRMLLayoutNode")
    before = layout.GetViewArrangement()
    begin(train, tmp_path)
    train._onProgress(progressed(1, 3.0))
    layout.SetViewArrangement(slicer.vtkMRMLLayoutNode.SlicerLayoutFourUpPlotView)
    train._onCanceled()
    assert layout.GetViewArrangement() == before
    assert train._logic._curveFolder.find(Role.CHART, label=CURVES) is None


def test_23_a_training_on_one_case_of_a_study_says_how_to_learn_from_all(module, study):
    ui = module.panel.trainSection._ui
    module.panel.trainSection.update()
    assert "Of the 3 cases of study lesions, 1 would be used" in text(ui.trainMessage)
    ui.sourceSelector.setProperty("currentIndex", ui.sourceSelector.findData("study"))
    assert ui.studyPath.currentPath == str(study / "study.json")
    assert "would be used" not in text(ui.trainMessage)


def test_23_a_model_from_few_cases_comes_with_a_caution(opened, monkeypatch):
    from NoisyLabelSegLib.widget.models import Model

    section = opened.truthSection
    for cases, caution in ((1, True), (40, False)):
        monkeypatch.setattr(
            "NoisyLabelSegLib.widget.truth_section.describe",
            lambda _path, cases=cases: Model("m.nlseg", "m", "", ("background", "lesion"), cases),
        )
        sentence = section._modelSentence()
        assert "many cases" not in sentence
        assert ("Trained on one case." if cases == 1 else "Trained on 40 cases.") in sentence
        assert ("too few" in sentence) is caution


def test_29_segments_of_one_node_stay_annotators_when_the_case_is_opened_again(module, volume):
    box = np.zeros((12, 24, 24), dtype=bool)
    box[3:8, 4:10, 4:10] = True
    segmentation("readers", {"ann": box, "ben": box, "cid": box}, volume)
    panel = module.panel
    panel.case.chooseVolume(volume)
    panel.case.addFromScene()
    assert panel.case.annotators == ("ann", "ben", "cid")
    panel.case.show("ann", shown=True)
    panel.case.show("ben", shown=False)
    assert [panel.case.isShown(name) for name in ("ann", "ben", "cid")] == [True, False, True]
    folder = panel.case.folder
    panel.case.chooseVolume(None)
    panel.case.openFolder(folder)
    assert panel.case.annotators == ("ann", "ben", "cid")


def test_19_one_view_each_begins_at_the_largest_error_of_a_scan_far_away(opened, host):
    section = opened.annotatorsSection
    section._ui.statisticsTable.selectRow(2)
    place = opened.annotators.mistakes("misses")[0].center
    section._ui.oneViewEachBox.setProperty("checked", True)
    for _ in range(3):
        host.qt_application.processEvents()
    node = slicer.mrmlScene.GetNodeByID("vtkMRMLSliceNodeNoisyLabelSeg1")
    assert node.GetSliceOffset() == pytest.approx(place[2], abs=0.6)


def test_15_file_dialogs_belong_to_the_main_window(module, monkeypatch):
    asked = []
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *arguments: asked.append(arguments) or "")
    monkeypatch.setattr(slicer.util, "mainWindow", lambda: "the main window")
    module.panel.exportSection._ui.exportDicom.setChecked(True)
    monkeypatch.setattr("slicerhost.dialogs._path", lambda _ask, arguments: asked.append(arguments) or "")
    module.panel.exportSection._askForSeries(module.panel.exportSection._formats())
    assert asked[0][0] == "the main window"


def test_what_was_exported_is_forgotten_with_the_scene(opened, host, tmp_path):
    ui = opened.exportSection._ui
    ui.exportPath.currentPath = str(tmp_path)
    opened.exportSection.onExport()
    assert "Exported" in text(ui.exportMessage)
    host.close_scene()
    assert text(ui.exportMessage) == ""


def test_the_confidence_overlay_leaves_the_remark_about_the_truth(opened):
    opened.truth.remarks = ["3 voxels had a tie."]
    opened.truthSection._ui.confidenceBox.setChecked(True)
    assert text(opened.truthSection._ui.truthMessage) == "3 voxels had a tie."


def test_a_method_that_changes_nothing_says_so(opened):
    combo = opened.truthSection._ui.methodSelector
    before = opened.truth.truth.copy()
    combo.setProperty("currentIndex", combo.findData("majority"))
    assert np.array_equal(before, opened.truth.truth)
    assert "gives the same estimate" in text(opened.truthSection._ui.truthMessage)


def test_the_crosshair_does_not_stay_at_the_place_of_another_case(opened, host):
    opened.annotatorsSection._ui.statisticsTable.selectRow(2)
    opened.annotatorsSection.onNext()
    crosshair = slicer.mrmlScene.GetFirstNodeByClass("vtkMRMLCrosshairNode")
    assert crosshair.GetCrosshairMode() != slicer.vtkMRMLCrosshairNode.NoCrosshair
    opened.opening.openDemo()
    host.wait_for(lambda: opened.annotators.review is not None)
    assert crosshair.GetCrosshairMode() == slicer.vtkMRMLCrosshairNode.NoCrosshair


def test_the_legend_of_errors_is_hidden_while_another_module_is_in_front(opened, module):
    opened.annotatorsSection._ui.statisticsTable.selectRow(1)
    legend = legendOf(opened.case.folder.find(Role.ERRORS, annotator="wide"))
    assert legend.GetVisibility()
    module.exit()
    assert not legend.GetVisibility()
    module.enter()
    assert legend.GetVisibility()


def test_the_preset_says_how_many_epochs_there_are(module):
    ui = module.panel.trainSection._ui
    ui.presetSelector.setProperty("currentIndex", ui.presetSelector.findText("quick"))
    assert ui.epochsBox.property("value") == 10


def test_the_channels_of_a_folder_have_the_names_of_their_files(module, tmp_path):
    from NoisyLabelSegLib.cases import Geometry, Image, write_image, write_labels

    grid = Geometry.plain((4, 8, 8))
    random = np.random.default_rng(0)
    for name in ("flair", "t1"):
        write_image(tmp_path / "patient1" / f"{name}.nrrd", Image(random.normal(size=grid.shape), grid))
    labels = np.zeros(grid.shape, dtype=np.uint8)
    labels[1:3, 2:5, 2:5] = 1
    for name in ("ann", "ben"):
        write_labels(tmp_path / "patient1" / f"label_{name}.nrrd", labels, grid)
    module.panel.opening.openPath(tmp_path)
    assert [name.split()[-1] for name in module.panel.case.channels()] == ["flair", "t1"]


def test_a_refused_folder_is_named(module, tmp_path):
    (tmp_path / "empty").mkdir()
    module.panel.caseSection._open(str(tmp_path / "empty"), module.panel.opening.openPath)
    assert "empty" in text(module.panel.caseSection._ui.caseMessage)


def test_readers_and_classes_count_when_a_case_is_called_large(module):
    from NoisyLabelSegLib.widget.work import isLarge

    assert module.panel.case.isReady
    assert not isLarge(557_056, 3)
    assert isLarge(557_056, 3, classes=8), "a chest CT of 128 x 128 x 34"
    assert isLarge(311_296, 12), "twelve readers of 128 x 128 x 19"


def test_the_report_of_a_large_case_is_written_by_a_worker(opened, host, monkeypatch, tmp_path):
    monkeypatch.setattr("NoisyLabelSegLib.widget.work.LARGE_VOXELS", 10)
    ui = opened.exportSection._ui
    ui.exportPath.currentPath = str(tmp_path)
    ui.exportReview.setChecked(True)
    opened.exportSection.onExport()
    assert opened.exportSection.isExporting
    host.wait_for(lambda: not opened.exportSection.isExporting)
    assert "scan_review" in text(ui.exportMessage)
    report = (tmp_path / "scan_review" / "report.html").read_text(encoding="utf-8")
    assert "of the annotators" in report
