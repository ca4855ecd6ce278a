"""The section that compares readers."""

from __future__ import annotations

import numpy as np
import pytest
import slicer

from NoisyLabelSegLib.cases import Annotation, Case, Geometry, Image, Study, write_image, write_labels
from NoisyLabelSegLib.scene.tables import rowsOf


def section_of(panel):
    return panel.readerStudy.agreementSection


def compare(host, panel):
    section = section_of(panel)
    section._ui.agreementButton.click()
    assert section.isComparing
    host.wait_for(lambda: not section.isComparing)
    return section


def cells(table):
    return [[table.item(row, column).text() for column in range(4)] for row in range(table.property("rowCount"))]


def test_without_two_readers_the_button_says_what_is_missing(module, opened):
    section = section_of(opened)
    assert "Compares every reader" in section._ui.agreementButton.property("toolTip")
    module.panel.setParameterNode(None)
    section.update()
    assert "two annotators or more" in section._ui.agreementButton.property("toolTip")
    section._ui.agreementSource.setProperty("currentIndex", 1)
    assert "Choose a study.json" in section._ui.agreementButton.property("toolTip")


def test_the_readers_of_the_scene_are_compared_in_the_worker(host, opened):
    section = compare(host, opened)
    found = {row[0]: row[1] for row in cells(section._ui.agreementTable)}
    exact, misses = (opened.case.labels()[name] for name in ("exact", "misses"))
    dice = 2 * np.count_nonzero(exact & misses) / (exact.sum() + misses.sum())
    assert found["exact and misses"] == f"{dice:.3f}"
    assert "wide and others" in found
    (node,) = slicer.util.getNodes("Agreement of readers*").values()
    rows = {(row["a"], row["b"]): row for row in rowsOf(node)}
    assert rows["exact", "misses"]["dice"] == pytest.approx(dice)


def write_study(folder):
    """Twelve cases of three readers who draw a ball larger or smaller; the first one drew it twice."""
    random, geometry, cases = np.random.default_rng(0), Geometry.plain((8, 20, 20)), []
    away = np.linalg.norm(np.moveaxis(np.indices(geometry.shape), 0, -1) - (4, 10, 10), axis=-1)
    for number in range(12):
        place, size = folder / f"case{number}", random.uniform(2.5, 4)
        write_image(place / "image.nrrd", Image(away.astype(np.float32), geometry))
        drawn = {}
        for name, more in (("a", 0.0), ("b", 0.6), ("c", -0.4), ("again", 0.1)):
            write_labels(place / f"{name}.nrrd", away < size + more + random.normal(0, 0.1), geometry)
            drawn[name] = Annotation(place / f"{name}.nrrd")
        again = (drawn.pop("again"),)
        cases.append(Case(place.name, (place / "image.nrrd",), drawn, repeats={"a": again}))
    Study("balls", ("background", "ball"), ("a", "b", "c"), tuple(cases)).write(folder)


def test_a_study_is_compared_and_its_plots_are_plot_nodes(host, module, tmp_path):
    write_study(tmp_path / "balls")
    section = section_of(module.panel)
    section._ui.agreementSource.setProperty("currentIndex", 1)
    section._ui.agreementStudy.currentPath = str(tmp_path / "balls")
    compare(host, module.panel)
    readers = [row[0] for row in cells(section._ui.agreementTable)]
    assert "a repeated" in readers
    assert len(readers) == 3 + 3 + 1
    assert "ICC(2,1) of volume" in section._ui.agreementSummary.property("text")
    ui = section._ui
    titles = [ui.agreementPlot.itemText(place) for place in range(1, ui.agreementPlot.property("count"))]
    assert {"b minus a", "c minus a", "c minus b", "Consensus of a group of readers"} <= set(titles)
    for title in titles:
        ui.agreementPlot.setProperty("currentIndex", ui.agreementPlot.findText(title))
    ui.agreementPlot.setProperty("currentIndex", ui.agreementPlot.findText("b minus a"))
    (chart,) = slicer.util.getNodesByClass("vtkMRMLPlotChartNode")
    assert chart.GetTitle() == "b minus a"
    assert chart.GetYAxisTitle() == "difference (ml)"
    series = [chart.GetNthPlotSeriesNode(place) for place in range(chart.GetNumberOfPlotSeriesNodes())]
    dots = [each for each in series if each.GetMarkerStyle() == slicer.vtkMRMLPlotSeriesNode.MarkerStyleCircle]
    (points,) = [rowsOf(each.GetTableNode()) for each in dots]
    section_points = [
        (mark.x, mark.y) for mark in section.logic.plots["b minus a"].marks if type(mark).__name__ == "Dot"
    ]
    np.testing.assert_allclose([list(row.values()) for row in points], section_points)
    assert len(points) == 12
    assert all(row["b minus a"] > 0 for row in points)
    assert not list(tmp_path.glob("noisylabelseg-*"))


def test_canceling_and_closing_the_scene_leave_nothing(host, opened):
    section = section_of(opened)
    section._ui.agreementButton.click()
    section._ui.agreementButton.click()
    host.wait_for(lambda: not section.isComparing)
    assert section.logic._files is None
    section._ui.agreementButton.click()
    opened.leaveScene()
    assert not section.isComparing
    assert section.logic.rows == []
