"""Defects of legends, colors, tables and texts, seen in the real application; tests are named after their number."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import slicer
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractButton, QLabel, QScrollArea, QWidget

from NoisyLabelSegLib.review import ANNOTATORS, COLORBLIND, DEFAULT_COLORS, PAPER, color_table
from NoisyLabelSegLib.scene.colors import annotatorColor, classColor, drawable, legendOf
from NoisyLabelSegLib.scene.layout import viewTitles
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.scene.tables import nameTicks
from Testing.widget.nodes import edit, labelmap

PANEL_PIXELS = 300
"""How wide the panel is when Slicer is started for the first time."""
LONG = "Prof. Dr. Maximiliane Oberhuber-Winterstein"


@pytest.fixture
def in_panel(host, module):
    """The module's panel in a scroll area as wide as Slicer's."""
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(module.parent)
    area.resize(PANEL_PIXELS, 1100)
    area.show()
    settle(host)
    yield area
    area.takeWidget()


def settle(host):
    for _ in range(4):
        host.qt_application.processEvents()


def text(widget):
    return widget.property("text")


def distance(one, other):
    """Between two colors in CIELAB."""
    import vtk

    return float(np.linalg.norm(np.subtract(*(_lab(vtk, color) for color in (one, other)))))


def _lab(vtk, color):
    lab = [0.0, 0.0, 0.0]
    vtk.vtkMath.RGBToLab(list(color), lab)
    return lab


def test_5_and_33_legends_are_small_with_short_titles_and_never_at_the_same_place(opened):
    errors = legendOf(opened.case.folder.find(Role.ERRORS, annotator="wide"))
    ramp = legendOf(opened.case.folder.find(Role.PROBABILITY))
    assert errors.GetSize() == pytest.approx((0.15, 0.25))
    assert ramp.GetPosition()[1] - errors.GetPosition()[1] > 0.5
    assert len(drawable(LONG, 20)) == 20


def test_33_what_is_correct_is_drawn_as_the_legend_says():
    correct = next(entry for entry in color_table(DEFAULT_COLORS) if entry.key == "true_positive")
    assert correct.rgba[:3] == (1, 1, 1)
    assert correct.rgba[3] >= 0.5


def test_15_the_confidence_overlay_has_a_legend(opened):
    opened.truthSection._ui.confidenceBox.setChecked(True)
    legend = legendOf(opened.case.folder.find(Role.CONFIDENCE))
    assert legend.GetVisibility()
    assert legend.GetTitleText() == "How sure (%)"


def test_32_annotators_have_colors_of_their_own_unlike_errors_and_truth():
    count = len(color_table(ANNOTATORS))
    assert count >= 12
    colors = [annotatorColor(index) for index in range(count)]
    taken = [entry.rgba[:3] for name in (PAPER, COLORBLIND) for entry in color_table(name)[1:]]
    assert min(distance(*pair) for pair in itertools.combinations(colors, 2)) > 20
    assert min(distance(color, other) for color in colors for other in [*taken, classColor(1)]) > 20


def test_12_and_13_no_column_word_or_button_is_cut_off_at_the_width_of_slicers_panel(host, module, in_panel):
    panel = module.panel
    assert in_panel.width() == PANEL_PIXELS
    panel.opening.openDemo()
    host.wait_for(lambda: panel.annotators.review is not None)
    for section in ("trainSection", "exportSection"):
        module.parent.findChild(QWidget, section).collapsed = False
    settle(host)
    assert module.parent.minimumSizeHint().width() <= PANEL_PIXELS - 20
    for table in (panel.annotatorsSection._ui.statisticsTable, panel.caseSection._ui.annotatorTable):
        header = table.horizontalHeader()
        assert header.length() <= table.viewport().width()
        names = [table.item(row, 0).text() for row in range(table.model().rowCount())]
        needed = max(table.fontMetrics().horizontalAdvance(name) for name in names)
        assert needed + 4 <= header.sectionSize(0), "the names of the demo case are read in full"
        assert not header.property("highlightSections")
        last = header.count() - 1
        assert header.sectionPosition(last) + header.sectionSize(last) >= table.viewport().width() - 1
    for button in module.parent.findChildren(QAbstractButton):
        if button.isVisible() and button.text():
            assert button.width() >= button.minimumSizeHint().width(), button.text()


@pytest.mark.usefixtures("in_panel")
def test_34_a_long_name_is_cut_in_the_table_and_leaves_the_figures_in_sight(host, module, volume, readers):
    readers["wide"].SetName(LONG)
    panel = module.panel
    panel.case.chooseVolume(volume)
    panel.case.addFromScene()
    panel.annotatorsSection.review()
    settle(host)
    table = panel.annotatorsSection._ui.statisticsTable
    assert table.horizontalHeader().length() <= table.viewport().width()
    assert table.item(1, 0).toolTip() == LONG


def test_34_view_titles_are_cut_in_the_middle_and_stay_different():
    names = [f"{LONG} {number}" for number in range(12)] + ["R9"]
    titles = viewTitles(names)
    assert len(set(titles)) == len(names)
    assert max(map(len, titles)) <= 14
    assert titles[-1] == "R9"


def test_34_names_that_the_plot_cannot_draw_have_a_number_instead(module, volume, readers):
    readers["wide"].SetName("山田 太郎")
    panel = module.panel
    panel.case.chooseVolume(volume)
    panel.case.addFromScene()
    panel.annotatorsSection.review()
    from NoisyLabelSegLib.widget.charts import diceOverCases

    chart, _cases = diceOverCases(panel.case.folder)
    names = [chart.GetNthPlotSeriesNode(index).GetName() for index in range(3)]
    assert names == ["exact", "Annotator 2", "misses"]


@pytest.mark.usefixtures("in_panel")
def test_35_next_error_and_its_sentence_are_in_sight_with_the_case_open(host, module):
    panel = module.panel
    panel.opening.openDemo()
    host.wait_for(lambda: panel.annotators.review is not None)
    settle(host)
    panel.annotatorsSection._ui.statisticsTable.selectRow(1)
    panel.annotatorsSection.onNext()
    settle(host)
    mistake = panel.annotatorsSection._ui.mistakeText
    bottom = mistake.mapTo(module.parent, QPoint(0, mistake.height())).y()
    assert bottom <= 850  # a window of 1200 pixels leaves about 900 for the panel


@pytest.mark.usefixtures("in_panel")
def test_35_the_last_line_of_a_message_is_not_cut_off(host, module):
    from NoisyLabelSegLib.widget.steps import say

    settle(host)
    for label in (module.panel.caseSection._ui.caseMessage, module.panel.annotatorsSection._ui.annotatorSentence):
        say(label, "This is a sentence of many words that does not fit into one line of the panel. " * 3)
        settle(host)
        assert isinstance(label, QLabel)
        assert label.height() >= label.heightForWidth(label.width())


def test_36_the_plot_names_the_cases_and_draws_points_without_lines(opened):
    import vtk

    from NoisyLabelSegLib.widget.charts import diceOverCases

    chart, cases = diceOverCases(opened.case.folder)
    assert cases == ["scan"]
    series = chart.GetNthPlotSeriesNode(0)
    assert series.GetLineStyle() == slicer.vtkMRMLPlotSeriesNode.LineStyleNone
    assert series.GetLabelColumnName() == "case"
    assert chart.GetXAxisRange()[1] > 1.3, "there is room for the legend beside the points"
    drawn = vtk.vtkChartXY()
    nameTicks(drawn, ["scan", LONG])
    labels = drawn.GetAxis(vtk.vtkAxis.BOTTOM).GetTickLabels()
    assert [labels.GetValue(index) for index in range(2)] == ["scan", "Prof. Dr.…tein"]


def test_37_while_annotators_are_compared_the_text_says_so(opened):
    opened.annotators.review = None
    opened.annotatorsSection.update()
    opened.annotatorsSection.reviewSoon()
    assert "being compared" in text(opened.annotatorsSection._ui.annotatorSentence)
    opened.annotatorsSection.close()


def test_38_one_walks_through_the_largest_errors_only(module, monkeypatch, volume):
    monkeypatch.setattr("NoisyLabelSegLib.widget.annotators_logic.MOST_MISTAKES", 2)
    truth = np.zeros((12, 24, 24), dtype=np.uint8)
    truth[3:8, 4:10, 4:10] = 1
    extra = truth.copy()
    for place in (1, 7, 13, 19):
        extra[3:8, 15:19, place : place + 4] = 1
    for name, labels in (("ann", truth), ("ben", truth), ("cid", extra)):
        labelmap(labels, name)
    panel = module.panel
    panel.case.chooseVolume(volume)
    panel.case.addFromScene()
    panel.annotatorsSection.review()
    ui = panel.annotatorsSection._ui
    ui.statisticsTable.selectRow(2)
    panel.annotatorsSection.onNext()
    assert text(ui.mistakeText).startswith("Error 1 of the 2 largest (4 in all):")


def test_38_large_volumes_are_plain_numbers():
    from NoisyLabelSegLib.widget.statistics_table import figureText

    assert figureText("missed_ml", 1350.0) == "1350"


def test_27_the_current_error_is_kept_when_people_come_back_from_segment_editor(host, opened, module):
    ui = opened.annotatorsSection._ui
    ui.statisticsTable.selectRow(2)
    opened.annotatorsSection.onNext()
    before = text(ui.mistakeText)
    assert before.startswith("Error 1 of")
    module.exit()
    edit(opened)
    module.enter()
    host.wait_for(lambda: opened.annotators.review is not None)
    host.wait_for(lambda: not opened.annotatorsSection.isReviewing)
    assert opened.annotators.current("misses") is not None
    assert text(ui.mistakeText).startswith("Error")


def test_30_labelmaps_are_drawn_as_outlines_beside_the_error_map(opened):
    ui = opened.annotatorsSection._ui
    ui.statisticsTable.selectRow(1)
    outline = opened.case.folder.find(Role.OUTLINE, annotator="wide")
    display = outline.GetDisplayNode()
    assert display.GetVisibility()
    assert not display.GetVisibility2DFill()
    assert outline.GetSegmentation().GetNthSegment(0).GetColor() == pytest.approx(opened.case.color("wide"))
    assert opened.case.isShown("wide")
    assert not opened.case.isShown("exact")
    opened.case.show("wide", shown=False)
    assert not display.GetVisibility()
    opened.case.remove(["wide"])
    assert opened.case.folder.find(Role.OUTLINE, annotator="wide") is None


@pytest.mark.usefixtures("in_panel")
@pytest.mark.parametrize("classes", [1, 2])
def test_names_can_be_read_in_the_table_at_the_width_of_the_panel(host, module, volume, classes):
    """The figures leave room for six letters at least, also beside the scroll bar of many annotators."""
    for reader in range(12):
        labels = np.zeros((12, 24, 24), dtype=np.uint8)
        labels[3:8, 4 : 10 + reader % 3, 4:10] = 1
        labels[3:8, 15:20, 15:20] = classes
        labelmap(labels, f"reader{reader}")
    panel = module.panel
    panel.case.chooseVolume(volume)
    panel.case.addFromScene()
    panel.annotatorsSection.review()
    settle(host)
    ui = panel.annotatorsSection._ui
    table, sets = ui.statisticsTable, ui.figureSelector
    for place in range(sets.count()):
        sets.setProperty("currentIndex", place)
        sets.activated.emit(place)
        settle(host)
        header = table.horizontalHeader()
        assert header.length() <= table.viewport().width(), sets.itemText(place)
        assert header.sectionSize(0) >= table.fontMetrics().horizontalAdvance("reader"), sets.itemText(place)
