"""Charts in the application's plot view, whose chart nodes cannot name the ticks of an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import slicer

from NoisyLabelSegLib.scene.tables import nameTicks


def showChart(chart: Any, names: Sequence[str] = ()) -> None:
    """Shows a chart node in the layout; `names` stand at 1, 2, 3, ... of its x axis in place of numbers."""
    slicer.modules.plots.logic().ShowChartInLayout(chart)
    manager = slicer.app.layoutManager()
    widget = None if manager is None else manager.plotWidget(0)
    if widget is not None:
        nameTicks(widget.plotView().chart(), names)
