"""The frame of a report: one self-contained HTML file with its style, tables, colors and legends."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from NoisyLabelSegLib.resources import resource_path
from NoisyLabelSegLib.review.sentences import Translate

PAPER, COLORBLIND, ANNOTATORS = "errors_paper", "errors_colorblind", "annotators"
DEFAULT_COLORS = COLORBLIND
"""The colors of errors that everything shows unless somebody chooses those of the paper."""


@dataclass(frozen=True)
class Color:
    """One entry of a table; `rgba` between 0 and 1."""

    code: int
    key: str
    name: str
    rgba: tuple[float, float, float, float]

    @property
    def css(self) -> str:
        """The color without its opacity, as in #e69f00."""
        return "#" + "".join(f"{round(255 * value):02x}" for value in self.rgba[:3])

    @property
    def opacity(self) -> float:
        return self.rgba[3]


def color_table(name: str) -> tuple[Color, ...]:
    """The table `Resources/colors/<name>.json`."""
    content = json.loads(resource_path(f"colors/{name}.json").read_text(encoding="utf-8"))
    return tuple(
        Color(entry["code"], entry["key"], entry["name"], tuple(entry["rgba"])) for entry in content["entries"]
    )


def page(title: str, body: Iterable[str], annotators: int, translate: Translate) -> str:
    """A whole page; its switch for colors needs no script."""
    style = resource_path("report/report.css").read_text(encoding="utf-8")
    switch = escape(translate("Colors of the paper"))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}{_color_rules(annotators)}</style>\n</head>\n<body>\n"
        '<input type="checkbox" id="paper">\n'
        f'<main>\n<div class="switch"><label for="paper">{switch}</label></div>\n' + "\n".join(body) + "\n</main>\n"
        "</body>\n</html>\n"
    )


def table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[str]], *, words: Sequence[int] = ()) -> str:
    """A table of cells that are HTML already; the first column names the row, columns in `words` hold sentences."""

    def cell(index: int, content: str) -> str:
        kind = ' class="words"' if index in words else ""
        return f'<th scope="row">{content}</th>' if index == 0 else f"<td{kind}>{content}</td>"

    head = "".join(
        f'<th scope="col"{" class=words" if index in words else ""}>{escape(column)}</th>'
        for index, column in enumerate(columns)
    )
    body = "".join(f"<tr>{''.join(cell(index, content) for index, content in enumerate(row))}</tr>" for row in rows)
    return (
        f'<div class="scroll{" long" if words else ""}"><table><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def error_legend(translate: Translate, *, classes: int) -> str:
    """What the colors of an error map mean; the wrong class only where there are several."""
    shown = [color for color in color_table(DEFAULT_COLORS) if color.opacity and (color.code < 4 or classes > 2)]
    return _legend(
        [(f'<path class="code{color.code}" d="M0 0h10v10h-10z"/>', translate(color.name)) for color in shown]
    )


def count_legend(translate: Translate) -> str:
    """What the bars of the objects mean."""
    names = {"found": "Found", "missed": "Missed", "invented": "False marks"}
    return _legend([(f'<path class="{kind}" d="M0 0h10v10h-10z"/>', translate(name)) for kind, name in names.items()])


def outline_legend(annotators: Mapping[int, str], translate: Translate) -> str:
    """Which line is whose, by the place of each annotator in the study."""
    lines = [
        ("truth", translate("Truth")),
        *((f"by by{place}", name) for place, name in annotators.items()),
    ]
    return _legend([(f'<path class="{line}" d="M0 5h10"/>', name) for line, name in lines])


def _legend(entries: Sequence[tuple[str, str]]) -> str:
    """Shapes in a square of ten, each with its meaning."""
    frame = '<svg viewBox="0 0 10 10" preserveAspectRatio="none" aria-hidden="true">'
    items = "".join(f"<li><i>{frame}{shape}</svg></i>{escape(text)}</li>" for shape, text in entries)
    return f'<ul class="legend">{items}</ul>'


def _color_rules(annotators: int) -> str:
    rules = []
    for selector, name in ((":root", DEFAULT_COLORS), ("#paper:checked ~ main", PAPER)):
        values = "".join(f"--code{c.code}:{c.css};--alpha{c.code}:{c.opacity:g};" for c in color_table(name))
        rules.append(f"{selector} {{ {values} }}")
    rules += [
        f"path.code{code} {{ fill: var(--code{code}); fill-opacity: var(--alpha{code}); }}" for code in range(1, 5)
    ]
    colors = color_table(ANNOTATORS)
    for place in range(annotators):
        css = colors[place % len(colors)].css
        rules.append(
            f".by{place} {{ stroke: {css}; }} .dot{place} {{ fill: {css}; }} li.of{place} {{ border-color: {css}; }}"
        )
    return "\n".join(rules) + "\n"
