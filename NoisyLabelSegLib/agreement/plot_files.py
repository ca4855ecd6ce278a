"""The plots of a study's agreement as data in a JSON file, for programs that draw them by themselves."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from NoisyLabelSegLib.agreement.plots import Axes, Cell, Dot, Mark, Plot, Stroke
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.json_checks import read_json

FORMAT = "noisylabelseg-plots/1"
PLOTS = "plots.json"
_KINDS: dict[str, type[Dot] | type[Stroke] | type[Cell]] = {"dot": Dot, "segment": Stroke, "cell": Cell}


def plots_text(plots: Sequence[Plot]) -> str:
    """The text of a file that `read_plots` reads."""
    content = {"format": FORMAT, "plots": [_entry(plot) for plot in plots]}
    return json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n"


def read_plots(path: str | Path) -> list[Plot]:
    """The plots in a file; anything else is refused with a sentence."""
    content = read_json(path, damaged="measure the agreement again")
    try:
        if content["format"] != FORMAT:
            raise ValueError(f"format {content['format']!r}")
        return [_plot(entry) for entry in content["plots"]]
    except (TypeError, KeyError, ValueError) as error:
        remedy = "measure the agreement again"
        raise UserError("holds no plots of agreement", file=path, remedy=remedy, detail=str(error)) from error


def _entry(plot: Plot) -> dict[str, Any]:
    names = {kind: name for name, kind in _KINDS.items()}
    panels = []
    for axes in plot.panels:
        marks = [{"mark": names[type(mark)], **asdict(mark)} for mark in axes.marks]
        panels.append({**vars(axes), "marks": marks})
    return {**vars(plot), "panels": panels}


def _plot(entry: Mapping[str, Any]) -> Plot:
    panels = []
    for axes in entry["panels"]:
        tuples = {key: tuple(axes[key]) for key in ("x_range", "y_range")}
        pairs = {key: [(a, b) for a, b in axes[key]] for key in ("x_ticks", "y_ticks", "legend")}
        panels.append(Axes(**{**axes, **tuples, **pairs, "marks": [_mark(mark) for mark in axes["marks"]]}))
    return Plot(**{**entry, "panels": panels})


def _mark(entry: Mapping[str, Any]) -> Mark:
    values = dict(entry)
    return _KINDS[values.pop("mark")](**values)
