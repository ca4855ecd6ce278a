"""The section that shows who erred where."""

from __future__ import annotations

import slicer
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from NoisyLabelSegLib.fusion import fuse
from NoisyLabelSegLib.metrics import dice
from NoisyLabelSegLib.scene.layout import LAYOUT_ID
from NoisyLabelSegLib.scene.nodes import Role
from Testing.widget.annotator_table import cell, select, text, ui_of


def test_before_there_is_a_truth_the_section_says_so(module):
    assert "Estimate the truth first" in text(ui_of(module.panel).annotatorSentence)
    assert ui_of(module.panel).nextButton.property("toolTip") == "<p>Select an annotator in the table first.</p>"


def test_a_closed_section_reviews_when_it_is_opened(host, opened):
    ui_of(opened).annotatorsSection.collapsed = True
    before = opened.annotators.review
    opened.case.use("exact", used=False)
    host.qt_application.processEvents()
    assert not opened.annotatorsSection._delay.isWaiting
    assert opened.annotators.review is before
    ui_of(opened).annotatorsSection.collapsed = False
    host.wait_for(lambda: opened.annotators.review is not before)


def test_the_table_has_the_figures_of_everybody(opened):
    assert cell(opened, "exact", "Dice") == "1.000"
    assert cell(opened, "misses", "Missed\nml") == "0.125"
    assert cell(opened, "wide", "Extra\nml") == f"{5 * (64 + 49 - 36 - 25) / 1000:.3g}"


def test_beside_the_dice_to_a_fusion_stands_the_dice_to_the_fusion_of_the_others(opened):
    labels = opened.case.labels()
    others = {name: [each for each in labels if each != name] for name in labels}
    for name, two in others.items():
        without = fuse([labels[each] for each in two], "majority").labels
        assert cell(opened, name, "Dice to\nothers") == f"{dice(labels[name], without, 2):.3f}"
    assert cell(opened, "exact", "Dice to\nothers") != cell(opened, "exact", "Dice")


def test_who_has_no_say_in_the_fusion_is_compared_with_it_as_it_is(host, opened):
    opened.case.use("wide", used=False)
    host.wait_for(lambda: opened.annotators.review is not None and not opened.annotatorsSection.isReviewing)
    assert opened.truth.record.annotators == ("exact", "misses")
    assert cell(opened, "wide", "Dice to\nothers") == cell(opened, "wide", "Dice")
    labels = opened.case.labels()
    pair = f"{dice(labels['exact'], labels['misses'], 2):.3f}"
    assert cell(opened, "exact", "Dice to\nothers") == cell(opened, "misses", "Dice to\nothers") == pair


def test_a_truth_that_is_no_fusion_has_no_dice_to_the_others(opened):
    opened.truth.truth = opened.truth.truth.copy()
    opened.truth.record.__class__("model", "", ()).write(opened.case.folder.find(Role.TRUTH))
    opened.annotators.update()
    table = ui_of(opened).statisticsTable
    titles = [table.horizontalHeaderItem(place).text() for place in range(table.model().columnCount())]
    assert titles == ["Name", "Dice", "Missed\nml", "Extra\nml", "Bias\nmm"]


def test_selecting_an_annotator_says_what_is_wrong_and_shows_the_error_map(opened):
    slicer.mrmlScene.AddNewNodeByClass("vtkMRMLSliceCompositeNode").SetLayoutName("Red")
    select(opened, "misses")
    assert "missed 1 of 2 objects" in text(ui_of(opened).annotatorSentence)
    assert f"Sensitivity {180 / 305:.3f}." in text(ui_of(opened).annotatorSentence)
    composite = slicer.mrmlScene.GetFirstNodeByClass("vtkMRMLSliceCompositeNode")
    errors = opened.case.folder.find(Role.ERRORS, annotator="misses")
    assert composite.GetLabelVolumeID() == errors.GetID()


def test_only_the_outlines_of_the_selected_annotator_stay_visible(host, module):
    module.panel.opening.openDemo()
    host.wait_for(lambda: module.panel.annotators.review is not None)
    select(module.panel, "over")
    case = module.panel.case
    assert [name for name in case.annotators if case.isShown(name)] == ["over"]
    ui_of(module.panel).oneViewEachBox.setChecked(True)
    assert all(case.isShown(name) for name in case.annotators)


def test_next_error_moves_the_views_to_the_island(opened):
    slice_node = slicer.vtkMRMLSliceNode()
    slice_node.SetLayoutName("Red")
    slice_node.SetSingletonTag("Red")
    slice_node = slicer.mrmlScene.AddNode(slice_node)
    slice_node.SetOrientation("Axial")
    select(opened, "misses")
    ui_of(opened).nextButton.click()
    assert text(ui_of(opened).mistakeText).startswith("Error 1 of 1: Missed an object (foreground) of 125 mm³.")
    right, anterior, superior = (slice_node.GetSliceToRAS().GetElement(row, 3) for row in range(3))
    assert (right, anterior, superior) == (17.0, 17.0, 3.0)


def test_next_and_previous_go_around(opened):
    select(opened, "wide")
    total = len(opened.annotators.mistakes("wide"))
    ui = ui_of(opened)
    ui.nextButton.click()
    assert text(ui.mistakeText).startswith(f"Error 1 of {total}")
    ui.previousButton.click()
    assert text(ui.mistakeText).startswith(f"Error {total} of {total}")


def test_an_annotator_without_errors_has_none_to_jump_to(opened):
    select(opened, "exact")
    assert not ui_of(opened).nextButton.property("enabled")
    assert ui_of(opened).nextButton.property("toolTip") == "<p>exact made no errors worth a jump.</p>"


def test_the_keys_work_only_while_the_panel_is_shown(module, opened):
    shortcuts = opened.annotatorsSection._shortcuts
    assert [shortcut.property("key").toString() for shortcut in shortcuts] == ["Shift+N", "Shift+P"]
    module.exit()
    assert not any(shortcut.property("enabled") for shortcut in shortcuts)
    module.enter()
    assert all(shortcut.property("enabled") for shortcut in shortcuts)


def test_one_view_each_makes_a_linked_view_per_annotator(opened):
    select(opened, "wide")
    layout = slicer.mrmlScene.GetFirstNodeByClass("vtkMRMLLayoutNode")
    before = layout.GetViewArrangement()
    ui_of(opened).oneViewEachBox.setChecked(True)
    assert layout.GetViewArrangement() == LAYOUT_ID
    maps = {
        slicer.mrmlScene.GetNodeByID(f"vtkMRMLSliceCompositeNodeNoisyLabelSeg{place}").GetLabelVolumeID()
        for place in (1, 2, 3)
    }
    assert maps == {node.GetID() for node in opened.case.folder.nodes(Role.ERRORS)}
    ui_of(opened).oneViewEachBox.setChecked(False)
    assert layout.GetViewArrangement() == before


def test_closing_the_scene_brings_the_layout_back(host, opened):
    select(opened, "wide")
    layout = slicer.mrmlScene.GetFirstNodeByClass("vtkMRMLLayoutNode")
    before = layout.GetViewArrangement()
    ui_of(opened).oneViewEachBox.setChecked(True)
    host.close_scene()
    assert layout.GetViewArrangement() == before != LAYOUT_ID


def test_without_a_model_the_expected_errors_say_where_they_come_from(opened):
    select(opened, "wide")
    assert "trained model" in text(ui_of(opened).expectedText)


def test_expected_errors_take_the_place_of_observed_ones_in_the_views(opened):
    import numpy as np

    from NoisyLabelSegLib.scene.results import ResultNodes

    slicer.mrmlScene.AddNewNodeByClass("vtkMRMLSliceCompositeNode").SetLayoutName("Red")
    composite = slicer.mrmlScene.GetFirstNodeByClass("vtkMRMLSliceCompositeNode")
    nodes = ResultNodes(opened.case.folder, opened.case.geometry, opened.case.classes)
    maps = nodes.expectedErrors("wide", np.full((3, *opened.truth.truth.shape), 0.5, dtype=np.float32))
    select(opened, "wide")
    ui_of(opened).errorTabs.setProperty("currentIndex", 1)
    assert composite.GetForegroundVolumeID() == maps[0].GetID()
    assert composite.GetLabelVolumeID() is None
    ui_of(opened).expectedSelector.setProperty("currentIndex", 1)
    ui_of(opened).expectedSelector.activated.emit(1)
    assert composite.GetForegroundVolumeID() == maps[1].GetID()
    ui_of(opened).errorTabs.setProperty("currentIndex", 0)
    assert composite.GetForegroundVolumeID() is None
    assert composite.GetLabelVolumeID() == opened.case.folder.find(Role.ERRORS, annotator="wide").GetID()


def test_the_plot_shows_everybody_over_the_cases(opened):
    ui_of(opened).plotButton.click()
    chart = slicer.mrmlScene.GetFirstNodeByClass("vtkMRMLPlotChartNode")
    assert chart.GetNumberOfPlotSeriesNodes() == 3


def rows_of(panel):
    table = ui_of(panel).mistakesTable
    return [[table.item(row, column).text() for column in range(5)] for row in range(table.model().rowCount())]


def test_the_errors_of_the_selected_annotator_are_listed_with_size_depth_slices_and_whose_they_are(opened):
    select(opened, "misses")
    assert rows_of(opened) == [["missed", "0.12", "3.0", "4–8", "–"]]


def test_a_click_on_a_row_goes_to_the_error_and_next_continues_from_there(opened):
    select(opened, "wide")
    table, mistakes = ui_of(opened).mistakesTable, opened.annotators.mistakes("wide")
    assert len(mistakes) > 1
    table.selectRow(1)
    assert opened.annotators.mistake == mistakes[1]
    assert text(ui_of(opened).mistakeText).startswith("Error 2 of ")
    ui_of(opened).previousButton.click()
    assert opened.annotators.mistake == mistakes[0]
    assert table.currentRow() == 0


def test_one_click_after_the_selection_leads_to_the_first_own_error(opened):
    select(opened, "misses")  # the first click
    ui_of(opened).mistakesTable.selectRow(0)  # the second
    assert opened.annotators.mistake == opened.annotators.mistakes("misses")[0]


def test_the_same_error_for_everybody_is_one_click_away_and_at_the_same_place(host, opened):
    select(opened, "misses")
    ui_of(opened).mistakesTable.selectRow(0)
    crosshair = slicer.mrmlScene.GetFirstNodeByClass("vtkMRMLCrosshairNode")
    place = crosshair.GetCrosshairRAS()
    ui_of(opened).oneViewEachBox.setChecked(True)
    host.qt_application.processEvents()
    for number in (1, 2, 3):
        matrix = slicer.mrmlScene.GetNodeByID(f"vtkMRMLSliceNodeNoisyLabelSeg{number}").GetSliceToRAS()
        assert [matrix.GetElement(row, 3) for row in range(3)] == list(place)
    assert crosshair.GetCrosshairRAS() == place


class Mouse:
    """Clicks with the left button into widgets that people see, and counts the clicks."""

    def __init__(self, host):
        self._host, self.clicks = host, 0

    def on(self, widget, place=None):
        assert widget.isVisible(), "nobody can click on what is hidden"
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=place or widget.rect().center())
        self.clicks += 1
        self._host.qt_application.processEvents()


def test_the_mouse_needs_two_clicks_from_the_truth_to_the_first_own_error_and_one_more_for_everybodys(
    host, module, opened
):
    ui = ui_of(opened)
    module.parent.resize(300, 1500)  # as wide as Slicer's panel at first
    module.parent.show()
    host.qt_application.processEvents()
    assert opened.truth.truth is not None
    mouse, table = Mouse(host), ui.statisticsTable
    row = [table.item(place, 0).text() for place in range(3)].index("misses")
    mouse.on(table.viewport(), table.visualItemRect(table.item(row, 0)).center())
    mouse.on(ui.nextButton)
    assert mouse.clicks == 2
    assert opened.annotators.mistake == opened.annotators.mistakes("misses")[0]
    place = slicer.mrmlScene.GetFirstNodeByClass("vtkMRMLCrosshairNode").GetCrosshairRAS()
    box = ui.oneViewEachBox
    mouse.on(box, QPoint(8, box.height() // 2))
    assert mouse.clicks == 3
    host.qt_application.processEvents()
    for number in (1, 2, 3):
        matrix = slicer.mrmlScene.GetNodeByID(f"vtkMRMLSliceNodeNoisyLabelSeg{number}").GetSliceToRAS()
        assert [matrix.GetElement(line, 3) for line in range(3)] == list(place)


def test_a_jump_zooms_in_and_zoom_out_brings_the_whole_image_back(opened):
    node = slicer.vtkMRMLSliceNode()
    node.SetLayoutName("Red")
    node.SetSingletonTag("Red")
    node = slicer.mrmlScene.AddNode(node)
    node.SetFieldOfView(300.0, 200.0, 1.0)
    select(opened, "misses")
    ui_of(opened).nextButton.click()
    assert min(node.GetFieldOfView()[:2]) == 60.0
    place = [node.GetSliceToRAS().GetElement(row, 3) for row in range(3)]
    ui_of(opened).wholeImageButton.click()
    assert node.GetFieldOfView()[:2] == (300.0, 200.0)
    assert [node.GetSliceToRAS().GetElement(row, 3) for row in range(3)] == place
