"""Draws plots as PNG files with matplotlib, which only the command line imports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from NoisyLabelSegLib.agreement.plots import Axes, Cell, Dot, Plot, Stroke, color
from NoisyLabelSegLib.agreement.svg import shade
from NoisyLabelSegLib.output import output_file

_DOTS_PER_INCH = 150
_PIXELS_PER_INCH = 80  # of the panels' sizes


def write_png(plot: Plot, path: Path) -> None:
    """Draws a plot into a PNG file; no display is needed."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = min(plot.columns, len(plot.panels))
    lines = -(-len(plot.panels) // columns)
    width = max(panel.width for panel in plot.panels) + 150
    height = max(panel.height for panel in plot.panels) + 90
    size = (columns * width / _PIXELS_PER_INCH, lines * height / _PIXELS_PER_INCH)
    figure = Figure(figsize=size, dpi=_DOTS_PER_INCH, layout="constrained")
    for place, panel in enumerate(plot.panels, start=1):
        _draw(panel, figure.add_subplot(lines, columns, place))
    with output_file(path) as partial:
        FigureCanvasAgg(figure).print_png(partial)


def _draw(panel: Axes, axes: Any) -> None:
    for mark in panel.marks:
        if isinstance(mark, Dot):
            axes.plot(mark.x, mark.y, "o", color=color(mark.color), markersize=1.6 * mark.radius, alpha=0.7)
        elif isinstance(mark, Stroke):
            style = "--" if mark.dashed else "-"
            ends = [mark.x1, mark.x2], [mark.y1, mark.y2]
            axes.plot(*ends, style, color=color(mark.color), linewidth=mark.width)
        else:
            _draw_cell(mark, axes)
    axes.set_title(_plain(panel.title), fontsize=10)
    axes.set_xlabel(_plain(panel.x_label))
    axes.set_ylabel(_plain(panel.y_label))
    axes.set_xticks([place for place, _ in panel.x_ticks], [_plain(word) for _, word in panel.x_ticks])
    axes.set_yticks([place for place, _ in panel.y_ticks], [_plain(word) for _, word in panel.y_ticks])
    axes.set_xlim(panel.x_range)
    axes.set_ylim(panel.y_range)
    axes.grid(color="#e4e4e4")
    axes.set_axisbelow(True)
    for name, number in panel.legend:
        axes.plot([], [], "o", color=color(number), label=_plain(name))
    if panel.legend:
        axes.legend(fontsize=8)


def _draw_cell(cell: Cell, axes: Any) -> None:
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((cell.x - 0.5, cell.y - 0.5), 1, 1, color=shade(cell.shade)))
    ink = "white" if cell.shade > 0.55 else "black"
    axes.text(cell.x, cell.y, cell.text, ha="center", va="center", color=ink)


def _plain(text: str) -> str:
    """Without matplotlib's mathematics, which a dollar sign in a name would begin."""
    return text.replace("$", r"\$")
