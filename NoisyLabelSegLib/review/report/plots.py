"""Three small plots as inline SVG: means with intervals, stacked counts, and lines over cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from NoisyLabelSegLib.ticks import round_ticks

_ROW, _LEFT, _WIDTH, _FOOT = 26, 130, 520, 40
_RIGHT = _WIDTH - 20


@dataclass(frozen=True)
class Interval:
    """A mean with its interval, for one row; `place` chooses the row's color."""

    name: str
    place: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class ObjectCounts:
    """Found, missed and invented objects, for one row."""

    name: str
    found: int
    missed: int
    invented: int


@dataclass(frozen=True)
class Line:
    """The values over the cases in order; None where there is none."""

    name: str
    place: int
    values: tuple[float | None, ...]


def interval_plot(rows: Sequence[Interval], *, title: str, axis: str) -> str:
    """Dots with whiskers around a line at zero."""
    reach = max((max(abs(row.low), abs(row.high)) for row in rows), default=0.0) or 1.0
    ticks = round_ticks(-reach, reach)
    x = _Scale(ticks[0], ticks[-1])
    bottom = _ROW * len(rows) + 10
    marks = [
        *_axis(ticks, x, bottom, axis),
        f'<line class="zero" x1="{x(0):.1f}" x2="{x(0):.1f}" y1="4" y2="{bottom}"/>',
    ]
    for index, row in enumerate(rows):
        y = _ROW * index + 20
        marks.append(_name(row.name, y))
        marks.append(f'<line class="by by{row.place}" x1="{x(row.low):.1f}" x2="{x(row.high):.1f}" y1="{y}" y2="{y}"/>')
        marks.append(f'<circle class="dot dot{row.place}" cx="{x(row.mean):.1f}" cy="{y}" r="5"/>')
    return _svg(marks, bottom + _FOOT, title)


def count_plot(rows: Sequence[ObjectCounts], *, title: str, axis: str) -> str:
    """Stacked bars: found, then missed, then invented."""
    most = max((row.found + row.missed + row.invented for row in rows), default=0) or 1
    ticks = [tick for tick in round_ticks(0, most) if tick == int(tick)]
    x = _Scale(0, max(ticks[-1], most))
    bottom = _ROW * len(rows) + 10
    marks = _axis(ticks, x, bottom, axis)
    for index, row in enumerate(rows):
        y, start = _ROW * index + 12, 0
        marks.append(_name(row.name, y + 8))
        for kind, count in (("found", row.found), ("missed", row.missed), ("invented", row.invented)):
            if count:
                width = x(start + count) - x(start)
                marks.append(f'<rect class="{kind}" x="{x(start):.1f}" y="{y}" width="{width:.1f}" height="16"/>')
                if width > 22:
                    marks.append(f'<text class="in-{kind}" x="{x(start) + width / 2:.1f}" y="{y + 12}">{count}</text>')
                start += count
    return _svg(marks, bottom + _FOOT, title)


def line_plot(lines: Sequence[Line], *, title: str, axis: str) -> str:
    """Values between 0 and 1 over the cases in the order they were drawn, one panel per line so that none hides."""
    count = max((len(line.values) for line in lines), default=1)
    height = 46
    x = _Scale(1, max(count, 2))
    ticks = sorted({1, *(round(tick) for tick in round_ticks(1, max(count, 2)) if 1 <= tick <= count)})
    bottom = height * len(lines) + 6
    marks = _axis(ticks, x, bottom, axis)
    for index, line in enumerate(lines):
        top = height * index + 6
        marks.append(_name(line.name, top + height / 2))
        marks += [
            f'<line class="grid" x1="{_LEFT}" x2="{_RIGHT}" y1="{top + y}" y2="{top + y}"/>' for y in (0, height - 8)
        ]
        marks.append(f'<text class="scale" x="{_RIGHT + 4}" y="{top + 4}">1</text>')
        marks.append(f'<text class="scale" x="{_RIGHT + 4}" y="{top + height - 4}">0</text>')
        points = [
            (x(case + 1), top + (height - 8) * (1 - value))
            for case, value in enumerate(line.values)
            if value is not None
        ]
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
        marks.append(f'<polyline class="by by{line.place}" points="{path}"/>')
        marks += [f'<circle class="dot dot{line.place}" cx="{a:.1f}" cy="{b:.1f}" r="2.5"/>' for a, b in points]
    return _svg(marks, bottom + _FOOT, title)


def _svg(marks: Sequence[str], height: float, title: str) -> str:
    label = escape(title)
    return (
        f'<svg class="plot" viewBox="0 0 {_WIDTH} {height:.0f}" role="img" aria-label="{label}">'
        f"<title>{label}</title>{''.join(marks)}</svg>"
    )


def _axis(ticks: Sequence[float], x: _Scale, bottom: float, axis: str) -> list[str]:
    marks = [f'<line class="axis" x1="{_LEFT}" x2="{_RIGHT}" y1="{bottom}" y2="{bottom}"/>']
    for tick in ticks:
        marks.append(f'<line class="grid" x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="4" y2="{bottom}"/>')
        marks.append(f'<text class="tick" x="{x(tick):.1f}" y="{bottom + 14}">{tick:g}</text>')
    marks.append(f'<text class="tick" x="{(_LEFT + _RIGHT) / 2}" y="{bottom + 32}">{escape(axis)}</text>')
    return marks


def _name(name: str, y: float) -> str:
    short = name if len(name) <= 18 else f"{name[:17]}…"
    return f'<text class="name" x="{_LEFT - 10}" y="{y + 4}">{escape(short)}</text>'


class _Scale:
    """From values to horizontal positions."""

    def __init__(self, low: float, high: float) -> None:
        self._low, self._step = low, (_RIGHT - _LEFT) / (high - low)

    def __call__(self, value: float) -> float:
        return _LEFT + (value - self._low) * self._step
