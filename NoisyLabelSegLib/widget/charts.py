"""Charts in the application's plot view, whose chart nodes cannot name the ticks of an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import slicer

from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.scene.tables import nameTicks, rowsOf, showPoints


def showChart(chart: Any, names: Sequence[str] = ()) -> None:
    """Shows a chart node in the layout; `names` stand at 1, 2, 3, ... of its x axis in place of numbers."""
    slicer.modules.plots.logic().ShowChartInLayout(chart)
    manager = slicer.app.layoutManager()
    widget = None if manager is None else manager.plotWidget(0)
    if widget is not None:
        nameTicks(widget.plotView().chart(), names)


def diceOverCases(folder: CaseFolder) -> tuple[Any, list[str]]:
    """The chart of everybody's Dice in the reviewed cases of the scene, and the names of these cases in order."""
    tables = {each.case: node for each in CaseFolder.all(folder.scene) for node in each.nodes(Role.STATISTICS)}
    dice = [{row["annotator"]: row["dice"] for row in rowsOf(table)} for table in tables.values()]
    names = dict.fromkeys(name for case in dice for name in case)
    points = {name: [case.get(name) for case in dice] for name in names}
    return showPoints(folder, "Dice over cases", ("case", list(tables)), points), list(tables)
