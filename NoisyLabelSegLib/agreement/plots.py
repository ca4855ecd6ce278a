"""A plot as data: panels with axes and marks, which the SVG writer and the command line's PNG writer both draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from NoisyLabelSegLib.ticks import round_ticks

GRAY = -1
"""The color number of marks that belong to no reader."""

COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#806000", "#000000")
"""By number, repeated where there are more; Okabe and Ito's, which color-blind people can tell apart."""


def color(number: int) -> str:
    """The color of a mark."""
    return "#767676" if number == GRAY else COLORS[number % len(COLORS)]


@dataclass(frozen=True)
class Dot:
    """A point in the units of the axes."""

    x: float
    y: float
    color: int = GRAY
    radius: float = 3.0


@dataclass(frozen=True)
class Stroke:
    """A straight line in the units of the axes."""

    x1: float
    y1: float
    x2: float
    y2: float
    color: int = GRAY
    dashed: bool = False
    width: float = 1.5


@dataclass(frozen=True)
class Cell:
    """A square of side 1 around a point with a figure in it; `shade` from 0 (light) to 1 (dark)."""

    x: float
    y: float
    shade: float
    text: str


Mark = Dot | Stroke | Cell
Tick = tuple[float, str]


@dataclass(frozen=True)
class Axes:
    """One pair of axes; ticks are positions and their words, the outermost positions are the ends of the axis."""

    title: str
    x_label: str
    y_label: str
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    x_ticks: Sequence[Tick]
    y_ticks: Sequence[Tick]
    marks: Sequence[Mark]
    width: int = 420
    height: int = 300
    legend: Sequence[tuple[str, int]] = field(default=())


@dataclass(frozen=True)
class Plot:
    """Panels side by side, `columns` in a row; `name` becomes the file's name, `title` is for people."""

    name: str
    title: str
    panels: Sequence[Axes]
    columns: int = 1


def axis(low: float, high: float) -> tuple[tuple[float, float], list[Tick]]:
    """A range of round numbers around the values, and its ticks."""
    places = round_ticks(low, high)
    return (places[0], places[-1]), [(place, f"{place:g}") for place in places]


def rows(names: Sequence[str]) -> tuple[tuple[float, float], list[Tick]]:
    """A vertical axis of names, the first on top: their positions are -0, -1, -2, ..."""
    short = [name if len(name) <= 22 else f"{name[:21]}…" for name in names]
    return (-len(names) + 0.5, 0.5), [(-place, name) for place, name in enumerate(short)]
