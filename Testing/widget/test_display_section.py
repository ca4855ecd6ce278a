"""What lies over the image, and how errors are drawn."""

from __future__ import annotations

import numpy as np
import pytest
import slicer

from NoisyLabelSegLib.scene.arrays import arrayOf
from NoisyLabelSegLib.scene.nodes import Role


def ui_of(panel):
    return panel.displaySection._ui


def text(widget):
    return widget.property("text")


def choose(panel, overlay):
    combo = ui_of(panel).overlaySelector
    combo.setProperty("currentIndex", combo.findData(overlay))
    combo.activated.emit(combo.property("currentIndex"))


@pytest.fixture
def composite(opened):
    """The layers of the red view, with the errors of `wide` in them."""
    node = slicer.vtkMRMLSliceNode()
    node.SetLayoutName("Red")
    node.SetSingletonTag("Red")
    slicer.mrmlScene.AddNode(node)
    slicer.mrmlScene.AddNewNodeByClass("vtkMRMLSliceCompositeNode").SetLayoutName("Red")
    opened.annotatorsSection._ui.statisticsTable.selectRow(1)
    return slicer.mrmlScene.GetFirstNodeByClass("vtkMRMLSliceCompositeNode")


def colors_of(panel):
    return panel.case.folder.find(Role.ERRORS, annotator="wide").GetDisplayNode().GetColorNode()


def color(panel, code):
    rgba = [0.0] * 4
    colors_of(panel).GetColor(code, rgba)
    return rgba


def test_errors_have_colors_for_color_blind_people_and_the_papers_are_one_click_away(opened):
    assert "color-blind" in colors_of(opened).GetName()
    ui_of(opened).paperColorsBox.setChecked(True)
    assert "paper" in colors_of(opened).GetName()
    assert color(opened, 3)[:3] == pytest.approx([1, 0, 0])


def test_the_choice_of_colors_is_kept_for_the_next_session(host, opened):
    ui_of(opened).paperColorsBox.setChecked(True)
    ui_of(opened).opacitySlider.value = 40.0
    again = host.open_module()
    try:
        ui = again.panel.displaySection._ui
        assert ui.paperColorsBox.property("checked")
        assert ui.opacitySlider.value == 40.0
    finally:
        again.exit()
        again.cleanup()


@pytest.mark.usefixtures("composite")
def test_correct_voxels_can_be_off(opened):
    assert color(opened, 1)[3] > 0
    ui_of(opened).correctBox.setChecked(False)
    assert color(opened, 1)[3] == 0
    assert color(opened, 2)[3] > 0


def test_errors_are_filled_or_outlines_and_as_opaque_as_the_slider_says(opened, composite):
    node = slicer.mrmlScene.GetNodeByID("vtkMRMLSliceNodeRed")
    assert not node.GetUseLabelOutline()
    ui_of(opened).filledBox.setChecked(False)
    assert node.GetUseLabelOutline()
    ui_of(opened).opacitySlider.value = 50.0
    assert composite.GetLabelOpacity() == pytest.approx(0.5)
    opened.annotatorsSection._ui.statisticsTable.selectRow(2)
    assert composite.GetLabelOpacity() == pytest.approx(0.5), "another annotator is drawn in the same way"


def test_the_agreement_map_counts_the_ticked_annotators_and_takes_the_place_of_the_errors(opened, composite):
    assert composite.GetLabelVolumeID()
    choose(opened, "agreement")
    node = opened.case.folder.find(Role.AGREEMENT)
    assert composite.GetForegroundVolumeID() == node.GetID()
    assert not composite.GetLabelVolumeID()
    labels = opened.case.labels()
    assert np.array_equal(arrayOf(node), sum(array.astype(int) for array in labels.values()))
    opened.case.use("misses", used=False)
    opened.annotatorsSection.review()
    assert int(arrayOf(opened.case.folder.find(Role.AGREEMENT)).max()) == 2
    assert composite.GetForegroundVolumeID() == opened.case.folder.find(Role.AGREEMENT).GetID()


@pytest.mark.usefixtures("composite")
def test_disagreement_is_shown_as_entropy(opened):
    choose(opened, "disagreement")
    entropy = arrayOf(opened.case.folder.find(Role.DISAGREEMENT))
    assert entropy.max() == pytest.approx(-(1 / 3) * np.log2(1 / 3) - (2 / 3) * np.log2(2 / 3))


def test_how_sure_the_estimate_is_is_never_shown_together_with_errors(opened, composite):
    box = opened.truthSection._ui.confidenceBox
    box.setChecked(True)
    assert opened.display.overlay.value == "confidence"
    assert not composite.GetLabelVolumeID()
    assert composite.GetForegroundVolumeID()
    opened.annotatorsSection.review()
    assert not composite.GetLabelVolumeID(), "a new review does not bring the errors back"
    opened.annotatorsSection._ui.statisticsTable.selectRow(2)
    assert composite.GetLabelVolumeID()
    assert not composite.GetForegroundVolumeID()
    assert not box.property("checked")


def test_choosing_it_under_display_ticks_the_box_of_the_truth_section(opened, composite):
    choose(opened, "confidence")
    assert opened.truthSection._ui.confidenceBox.property("checked")
    choose(opened, "errors")
    assert not opened.truthSection._ui.confidenceBox.property("checked")
    assert composite.GetLabelVolumeID()
    assert not composite.GetForegroundVolumeID()


def test_nothing_leaves_the_image_alone(opened, composite):
    choose(opened, "nothing")
    assert not composite.GetLabelVolumeID()
    assert not composite.GetForegroundVolumeID()
    assert not any(
        node.GetVisibility() for node in slicer.mrmlScene.GetNodes() if node.IsA("vtkMRMLColorLegendDisplayNode")
    )


def test_agreement_of_one_annotator_says_what_is_missing(opened):
    for name in ("wide", "misses"):
        opened.case.use(name, used=False)
    choose(opened, "agreement")
    assert "at least two ticked annotators" in text(ui_of(opened).displayMessage)
    assert ui_of(opened).overlaySelector.property("currentIndex") == 0


@pytest.mark.usefixtures("composite")
def test_the_surface_of_the_truth_has_the_signed_distance_of_the_selected_annotator(opened):
    ui_of(opened).surfaceBox.setChecked(True)
    node = opened.case.folder.find(Role.DISTANCE)
    assert "wide" in node.GetName()
    wide = node.GetPolyData().GetPointData().GetScalars().GetRange()
    opened.annotatorsSection._ui.statisticsTable.selectRow(2)
    assert "misses" in node.GetName()
    misses = node.GetPolyData().GetPointData().GetScalars().GetRange()
    assert wide[1] > 0.5
    assert misses[0] < -3
    ui_of(opened).surfaceBox.setChecked(False)
    assert opened.case.folder.find(Role.DISTANCE) is None


@pytest.mark.usefixtures("composite")
def test_one_view_each_has_three_planes_where_people_want_them(opened):
    ui_of(opened).planesBox.setChecked(True)
    opened.annotatorsSection._ui.oneViewEachBox.setChecked(True)
    layout = slicer.mrmlScene.GetFirstNodeByClass("vtkMRMLLayoutNode")
    assert layout.GetCurrentLayoutDescription().count("<view ") == 9
    nodes = [slicer.mrmlScene.GetNodeByID(f"vtkMRMLSliceNodeNoisyLabelSeg{number}") for number in range(1, 10)]
    assert [node.GetOrientation() for node in nodes] == ["Axial", "Coronal", "Sagittal"] * 3
    assert [node.GetLayoutLabel() for node in nodes[::3]] == ["exact", "wide", "misses"]
    ui_of(opened).planesBox.setChecked(False)
    assert layout.GetCurrentLayoutDescription().count("<view ") == 3
