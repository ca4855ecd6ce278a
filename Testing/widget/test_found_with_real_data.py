"""Defects 16 to 31, seen inside the real application with real data; each test is named after its number."""

from __future__ import annotations

import numpy as np
import pytest
import slicer
from PySide6.QtCore import Qt
from slicerhost.dialogs import answers

from NoisyLabelSegLib.scene.nodes import Role
from Testing.widget.nodes import edit, labelmap, segmentation, voxels

NAME = 0


def test_16_an_edited_truth_is_not_replaced_without_a_question(opened):
    edited = edit(opened)
    answers.consents.append(False)
    opened.truthSection.onEstimate()
    assert any("edited by hand" in text for _kind, text in answers.shown)
    assert voxels(opened) == edited
    answers.consents.append(True)
    opened.truthSection.onEstimate()
    assert voxels(opened) < edited


def test_16_unticking_an_annotator_keeps_an_edited_truth_and_says_so(opened):
    edited = edit(opened)
    opened.caseSection._ui.annotatorTable.item(1, NAME).setCheckState(Qt.CheckState.Unchecked)
    assert voxels(opened) == edited
    assert "edited by hand" in opened.truthSection._ui.truthMessage.property("text")


def test_16_an_edited_truth_is_known_after_the_case_was_opened_again(opened):
    edited = edit(opened)
    opened.case.refresh()
    assert opened.truth.isEdited
    assert np.count_nonzero(opened.truth.truth) == edited


def test_17_segmentations_from_the_scene_are_outlines_in_the_annotators_colors(module, volume):
    box = np.zeros((12, 24, 24), dtype=bool)
    box[3:8, 4:10, 4:10] = True
    nodes = [segmentation(name, {"nodule": box}, volume) for name in ("ann", "ben")]
    panel = module.panel
    panel.case.chooseVolume(volume)
    panel.case.addFromScene()
    for node, name in zip(nodes, panel.case.annotators, strict=True):
        assert not node.GetDisplayNode().GetVisibility2DFill()
        assert node.GetDisplayNode().GetVisibility2DOutline()
        assert node.GetSegmentation().GetNthSegment(0).GetColor() == pytest.approx(panel.case.color(name))


def test_18_what_the_views_showed_is_not_kept_for_another_scene(opened):
    opened.annotatorsSection._ui.statisticsTable.selectRow(0)
    views = opened.annotators._views
    assert views._memory is not None
    opened.leaveScene()
    assert views._memory is None


def test_20_masks_of_255_beside_labels_of_1_are_one_class(module, volume, readers):
    mask = slicer.util.arrayFromVolume(readers["wide"])
    mask[mask == 1] = 255
    panel = module.panel
    panel.case.chooseVolume(volume)
    panel.case.addFromScene()
    assert len(panel.case.classes) == 2
    assert {int(labels.max()) for labels in panel.case.labels().values()} == {1}
    assert "255 is taken as class 1" in panel.caseSection._ui.caseMessage.property("text")
    assert not panel.case.isResampled


def test_21_the_table_shows_the_figures_of_a_class(module, volume):
    first, second = (np.zeros((12, 24, 24), dtype=np.uint8) for _ in range(2))
    first[3:8, 4:10, 4:10], first[3:8, 15:20, 15:20] = 1, 2
    second[3:8, 4:10, 4:10], second[3:8, 15:20, 15:20] = 1, 1  # the same places, but one class is wrong
    for name, labels in (("ann", first), ("ben", first), ("cid", second)):
        labelmap(labels, name)
    panel = module.panel
    panel.case.chooseVolume(volume)
    panel.case.addFromScene()
    panel.annotatorsSection.review()
    ui = panel.annotatorsSection._ui
    assert ui.statisticsTable.item(2, 1).text() == "1.000"
    ui.classSelector.setProperty("currentIndex", ui.classSelector.findData("class 2"))
    panel.annotatorsSection.onClass()
    assert ui.statisticsTable.item(2, 1).text() == "0.000"
    assert all("class 2" in (each.true_class, each.drawn_class) for each in panel.annotators.mistakes("cid"))


def test_21_there_is_no_class_to_choose_where_there_is_one_only(opened):
    assert opened.annotatorsSection._ui.classSelector.isHidden()


def test_22_classes_that_differ_in_upper_and_lower_case_are_the_same(module, volume):
    low, high = np.zeros((12, 24, 24), dtype=bool), np.zeros((12, 24, 24), dtype=bool)
    low[3:8, 4:10, 4:10], high[3:8, 15:20, 15:20] = True, True
    segmentation("ann", {"ribs": low, "lung": high}, volume)
    segmentation("ben", {"RIBS": low, "Lung ": high}, volume)
    panel = module.panel
    panel.case.chooseVolume(volume)
    panel.case.addFromScene()
    assert panel.case.classes == ("background", "ribs", "lung")
    first, second = panel.case.labels().values()
    np.testing.assert_array_equal(first, second)


def test_24_the_exported_report_says_where_the_truth_comes_from(opened, tmp_path):
    from NoisyLabelSegLib.widget.export_logic import ExportLogic, Format

    logic = ExportLogic(opened.case, opened.truth)
    logic.export({Format.REVIEW}, tmp_path)
    text = (tmp_path / "scan_review" / "report.html").read_text(encoding="utf-8")
    assert "of the annotators" in text
    edit(opened)
    logic.export({Format.REVIEW}, tmp_path)
    assert "edited by hand" in (tmp_path / "scan_review" / "report.html").read_text(encoding="utf-8")


def test_25_the_views_zoom_in_on_a_small_error_and_never_out(opened):
    red = slicer.mrmlScene.GetNodeByID("vtkMRMLSliceNodeRed")
    red.SetFieldOfView(500.0, 400.0, 1.0)
    opened.annotatorsSection._ui.statisticsTable.selectRow(2)
    opened.annotatorsSection.onNext()
    assert min(red.GetFieldOfView()[:2]) == pytest.approx(60)
    red.SetFieldOfView(30.0, 24.0, 1.0)
    opened.annotatorsSection.onNext()
    assert min(red.GetFieldOfView()[:2]) == pytest.approx(24)


def test_25_a_nodule_on_a_real_ct_is_shown_in_a_lung_window(module, shared_data):
    from NoisyLabelSegLib.cases import read_image, read_labels
    from NoisyLabelSegLib.scene.ct_windows import LUNG
    from NoisyLabelSegLib.scene.volumes import LABELMAP, SCALAR, fillVolume

    folder = shared_data / "lidc-ct-xml" / "LIDC-IDRI-0001"
    for name in ("ct", "reader1", "reader2"):
        image = read_image(folder / "ct.nrrd") if name == "ct" else read_labels(folder / f"{name}.nrrd")
        fillVolume(
            slicer.mrmlScene.AddNewNodeByClass(SCALAR if name == "ct" else LABELMAP, name), image.array, image.geometry
        )
    panel, volume = module.panel, slicer.mrmlScene.GetFirstNodeByName("ct")
    panel.case.chooseVolume(volume)
    panel.case.addFromScene()
    panel.case._runner.finish()
    panel.truthSection._steps.finish()
    panel.annotators.update()
    display = volume.GetDisplayNode()
    assert display.GetAutoWindowLevel()
    panel.annotators.step("reader1", 1)
    assert (display.GetWindow(), display.GetLevel()) == pytest.approx(LUNG)


def test_26_every_export_has_the_edited_truth(opened, tmp_path):
    from NoisyLabelSegLib.cases import read_labels
    from NoisyLabelSegLib.widget.export_logic import ExportLogic, Format

    edited = edit(opened)
    ExportLogic(opened.case, opened.truth).export({Format.NRRD, Format.SEGMENTATION}, tmp_path)
    counts = [np.count_nonzero(read_labels(path).array) for path in tmp_path.glob("*.nrrd")]
    assert counts == [edited, edited]


def test_28_segment_editor_finds_the_source_volume_of_the_truth(opened):
    truth = opened.case.folder.find(Role.TRUTH)
    assert truth.GetNodeReference(truth.GetReferenceImageGeometryReferenceRole()) is opened.case.folder.image


def test_31_overlaps_are_one_sentence_per_annotator_and_offer_no_resampling(module, volume):
    boxes = {name: np.zeros((12, 24, 24), dtype=bool) for name in "abc"}
    for place, box in enumerate(boxes.values()):
        box[3:8, 4:10, 1 + 5 * place : 7 + 5 * place] = True  # each shares a column of voxels with the next
    segmentation("ann", boxes, volume)
    segmentation("ben", boxes, volume)
    panel = module.panel
    panel.case.chooseVolume(volume)
    panel.case.addFromScene()
    remarks = panel.case.remarks()
    assert len(remarks) == 2
    assert all("overlap" in remark for remark in remarks)
    assert panel.caseSection._ui.resampleButton.isHidden()
