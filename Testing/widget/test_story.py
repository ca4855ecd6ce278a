"""The whole story, clicked through: from the demo case to a saved scene that reopens as it was."""

from __future__ import annotations

import numpy as np
import slicer
from PySide6.QtCore import Qt

from NoisyLabelSegLib.cases import read_labels
from NoisyLabelSegLib.cases.dicom_seg import read_dicom_seg
from NoisyLabelSegLib.scene.nodes import Role


def text(widget):
    return widget.property("text")


def select(panel, annotator):
    table = panel.annotatorsSection._ui.statisticsTable
    rows = {table.item(row, 0).text(): row for row in range(table.model().rowCount())}
    table.selectRow(rows[annotator])


def review(host, panel):
    host.wait_for(lambda: panel.annotators.review is not None)


def red_view():
    node = slicer.vtkMRMLSliceNode()
    node.SetLayoutName("Red")
    node.SetSingletonTag("Red")
    node = slicer.mrmlScene.AddNode(node)
    node.SetOrientation("Axial")
    return node


def test_from_the_demo_case_to_a_reopened_scene(host, module, tmp_path, monkeypatch, write_series):
    monkeypatch.setattr("NoisyLabelSegLib.widget.opening.DEMO_SIZE", (48, 48, 10))
    panel, red = module.panel, red_view()
    case, truth, annotators = panel.caseSection._ui, panel.truthSection._ui, panel.annotatorsSection._ui
    train, export = panel.trainSection._ui, panel.exportSection._ui

    case.demoButton.click()
    assert len(panel.case.annotators) == 5
    assert truth.methodSelector.property("currentText") == "Weighted majority"
    review(host, panel)
    first = panel.truth.truth.copy()

    panel.annotators.review = None
    case.annotatorTable.item(panel.case.annotators.index("wrong"), 0).setCheckState(Qt.CheckState.Unchecked)
    assert not np.array_equal(first, panel.truth.truth)
    review(host, panel)

    select(panel, "under")
    assert "under" in text(annotators.annotatorSentence)
    annotators.nextButton.click()
    mistake = panel.annotators.mistakes("under")[0]
    assert text(annotators.mistakeText).startswith("Error 1 of ")
    assert np.allclose([red.GetSliceToRAS().GetElement(row, 3) for row in range(3)], mistake.center_ras)

    train.presetSelector.setProperty("currentIndex", train.presetSelector.findText("quick"))
    train.epochsBox.setProperty("value", 100)
    train.deviceSelector.setProperty("currentText", "cpu")
    train.runPath.currentPath = str(tmp_path / "first")
    before = panel.truth.truth.copy()
    train.trainButton.click()
    host.wait_for(lambda: panel.trainSection._logic.hasCurves)
    train.trainButton.click()
    host.wait_for(lambda: not panel.trainSection._job.running)
    assert "Canceled" in text(train.trainMessage)
    assert np.array_equal(before, panel.truth.truth)
    assert not panel.trainSection._logic._curveFolder.nodes()

    train.epochsBox.setProperty("value", 2)
    train.runPath.currentPath = str(tmp_path / "second")
    train.trainButton.click()
    words = set()
    host.wait_for(lambda: words.add(text(train.trainButton)) or not panel.trainSection._job.running)
    assert any("s left" in button for button in words), "the time left stands on the button"
    assert "chosen under Truth" in text(train.trainMessage)
    assert panel.trainSection._logic._curveFolder.nodes(Role.CURVES)[0].GetTable().GetNumberOfRows() == 2
    assert truth.methodSelector.property("currentText") == "Trained model..."
    assert panel.truthSection.model == str(tmp_path / "second" / "model.nlseg")
    assert truth.modelSelector.property("currentText").startswith("scene: ")
    truth.estimateButton.click()
    host.wait_for(lambda: not panel.truthSection._job.running)
    assert text(truth.truthMessage) == ""
    review(host, panel)
    select(panel, "over")
    annotators.errorTabs.setProperty("currentIndex", 1)
    assert annotators.expectedSelector.property("count") == 2

    for box in panel.exportSection._boxes.values():
        box.setChecked(True)
    scan = slicer.util.arrayFromVolume(panel.case.folder.image)
    host.answers.paths.append(str(write_series(tmp_path / "series", scan, panel.case.geometry)))
    export.exportPath.currentPath = str(tmp_path / "export")
    export.exportButton.click()
    assert text(export.exportMessage).startswith("Exported: ")
    assert {path.name for path in (tmp_path / "export").iterdir()} >= {
        "lesions_000_truth.nrrd",
        "lesions_000_truth.nii.gz",
        "lesions_000_truth.seg.nrrd",
        "lesions_000_truth.dcm",
        "lesions_000_review",
    }
    seg = read_dicom_seg(tmp_path / "export" / "lesions_000_truth.dcm", images=tmp_path / "series")
    assert np.array_equal(seg.as_labels().array, panel.truth.truth)
    for name in ("nrrd", "nii.gz", "seg.nrrd"):
        assert np.array_equal(read_labels(tmp_path / "export" / f"lesions_000_truth.{name}").array, panel.truth.truth)
    labelmap = slicer.util.getNode("lesions_000 truth labelmap")
    assert np.array_equal(slicer.util.arrayFromVolume(labelmap), panel.truth.truth)
    review_files = {path.name for path in (tmp_path / "export" / "lesions_000_review").iterdir()}
    assert {"report.html", "statistics.csv"} <= review_files

    saved, predicted = str(tmp_path / "scene.mrb"), panel.truth.truth.copy()
    assert slicer.mrmlScene.WriteToMRB(saved)
    host.close_scene()
    assert not panel.case.isOpen
    assert slicer.mrmlScene.ReadFromMRB(saved, True)
    assert panel.case.annotators == ("good", "over", "under", "wrong", "blank")
    assert "wrong" not in panel.case.used
    assert np.array_equal(panel.truth.truth, predicted)
    assert truth.methodSelector.property("currentText") == "Trained model..."
    panel.annotatorsSection.review()
    assert panel.annotatorsSection.annotator == "over"
    assert panel.annotators.expected.kinds("over") == ["false positive", "false negative"]
    assert train.epochsBox.property("value") == 2
    assert len(panel.case.folder.nodes(Role.ERRORS)) == 5
