"""Writes plots as SVG files that need nothing else."""

from __future__ import annotations

from html import escape

from NoisyLabelSegLib.agreement.plots import Axes, Cell, Dot, Mark, Plot, Stroke, color

_TOP, _FOOT, _RIGHT, _LEGEND = 34, 48, 18, 20
_FONT = "font-family='Helvetica, Arial, sans-serif'"


def svg_text(plot: Plot) -> str:
    """The plot as the text of an SVG file."""
    columns = min(plot.columns, len(plot.panels)) or 1
    drawn = [_Axes(panel) for panel in plot.panels]
    width = max((panel.width for panel in drawn), default=200)
    height = max((panel.height for panel in drawn), default=100)
    lines = -(-len(drawn) // columns)
    title = escape(plot.title)
    size = f"{columns * width} {lines * height}"
    extent = "width='{}' height='{}'".format(*size.split())
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' {extent} viewBox='0 0 {size}' role='img' {_FONT} font-size='12'>",
        f"<title>{title}</title><rect width='100%' height='100%' fill='white'/>",
    ]
    for place, panel in enumerate(drawn):
        x, y = place % columns * width, place // columns * height
        parts.append(f"<g transform='translate({x} {y})'>{''.join(panel.draw())}</g>")
    return "\n".join([*parts, "</svg>"]) + "\n"


class _Axes:
    """Draws one panel, its upper left corner at the origin."""

    def __init__(self, panel: Axes) -> None:
        self._panel = panel
        longest = max((len(word) for _, word in panel.y_ticks), default=0)
        self._left = 30 + 7 * longest
        self._top = _TOP + (_LEGEND if panel.legend else 0)
        self.width = self._left + panel.width + _RIGHT
        self.height = self._top + panel.height + _FOOT

    def draw(self) -> list[str]:
        panel, left, top = self._panel, self._left, self._top
        bottom, right = top + panel.height, left + panel.width
        parts = [_text(left + panel.width / 2, 18, panel.title, weight="bold")]
        place = float(left)
        for name, number in panel.legend:
            parts.append(f"<circle cx='{place + 4:.1f}' cy='{_TOP - 2}' r='4' fill='{color(number)}'/>")
            parts.append(_text(place + 12, _TOP + 2, name, anchor="start"))
            place += 26 + 6.5 * len(name)
        for value, word in panel.x_ticks:
            x = self._x(value)
            parts.append(f"<line x1='{x:.1f}' x2='{x:.1f}' y1='{top}' y2='{bottom}' stroke='#e4e4e4'/>")
            parts.append(_text(x, bottom + 16, word))
        for value, word in panel.y_ticks:
            y = self._y(value)
            parts.append(f"<line x1='{left}' x2='{right}' y1='{y:.1f}' y2='{y:.1f}' stroke='#e4e4e4'/>")
            parts.append(_text(left - 6, y + 4, word, anchor="end"))
        parts += [self._mark(mark) for mark in panel.marks]
        parts.append(
            f"<rect x='{left}' y='{top}' width='{panel.width}' height='{panel.height}' fill='none' stroke='#555'/>"
        )
        parts.append(_text(left + panel.width / 2, bottom + 36, panel.x_label))
        middle = top + panel.height / 2
        parts.append(f"<g transform='rotate(-90 14 {middle:.1f})'>{_text(14, middle, panel.y_label)}</g>")
        return parts

    def _x(self, value: float) -> float:
        low, high = self._panel.x_range
        return self._left + (value - low) / (high - low) * self._panel.width

    def _y(self, value: float) -> float:
        low, high = self._panel.y_range
        return self._top + (high - value) / (high - low) * self._panel.height

    def _mark(self, mark: Mark) -> str:
        if isinstance(mark, Dot):
            place = f"cx='{self._x(mark.x):.1f}' cy='{self._y(mark.y):.1f}' r='{mark.radius:g}'"
            return f"<circle {place} fill='{color(mark.color)}' fill-opacity='0.7'/>"
        if isinstance(mark, Stroke):
            ends = f"x1='{self._x(mark.x1):.1f}' y1='{self._y(mark.y1):.1f}'"
            ends += f" x2='{self._x(mark.x2):.1f}' y2='{self._y(mark.y2):.1f}'"
            dashes = " stroke-dasharray='6 4'" if mark.dashed else ""
            return f"<line {ends} stroke='{color(mark.color)}' stroke-width='{mark.width:g}'{dashes}/>"
        return self._cell(mark)

    def _cell(self, cell: Cell) -> str:
        x, y = self._x(cell.x - 0.5), self._y(cell.y + 0.5)
        width, height = self._x(cell.x + 0.5) - x, self._y(cell.y - 0.5) - y
        box = f"<rect x='{x:.1f}' y='{y:.1f}' width='{width:.1f}' height='{height:.1f}' fill='{shade(cell.shade)}'/>"
        ink = "white" if cell.shade > 0.55 else "black"
        return box + _text(x + width / 2, y + height / 2 + 4, cell.text, fill=ink)


def shade(value: float) -> str:
    """From near white (0) to dark blue (1)."""
    ends = ((247, 251, 255), (8, 48, 107))
    share = min(max(value, 0.0), 1.0)
    return "#" + "".join(f"{round(low + share * (high - low)):02x}" for low, high in zip(*ends, strict=True))


def _text(
    x: float, y: float, words: str, *, anchor: str = "middle", weight: str = "normal", fill: str = "black"
) -> str:
    style = f"text-anchor='{anchor}' font-weight='{weight}' fill='{fill}'"
    return f"<text x='{x:.1f}' y='{y:.1f}' {style}>{escape(words)}</text>"
