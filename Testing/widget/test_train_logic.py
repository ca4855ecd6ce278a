"""From reports to curves."""

from __future__ import annotations

from NoisyLabelSegLib.jobs.reports import Progressed
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.scene.tables import rowsOf


def drawn(panel):
    folder = panel.trainSection._logic._curveFolder
    return [(row["epoch"], row["loss"]) for row in rowsOf(folder.nodes(Role.CURVES)[0])]


def test_a_training_that_begins_anew_replaces_its_curves(module):
    logic = module.panel.trainSection._logic
    for done, loss in ((1, 0.9), (2, 0.8), (1, 0.5), (2, 0.4)):
        logic.addToCurves(Progressed("train", done, 3, metrics={"loss": loss}))
    assert drawn(module.panel) == [(1.0, 0.5), (2.0, 0.4)]


def test_a_report_without_figures_draws_nothing(module):
    logic = module.panel.trainSection._logic
    assert logic.addToCurves(Progressed("read", 1, 2)) is None
    assert not logic.hasCurves


def test_a_figure_that_comes_later_has_a_gap_before_it(module):
    logic = module.panel.trainSection._logic
    logic.addToCurves(Progressed("train", 1, 3, metrics={"loss": 0.9}))
    chart = logic.addToCurves(Progressed("train", 2, 3, metrics={"loss": 0.8, "validation": 0.7}))
    assert chart.GetNumberOfPlotSeriesNodes() == 2
    assert [row["validation"] for row in rowsOf(logic._curveFolder.nodes(Role.CURVES)[0])] == [None, 0.7]
