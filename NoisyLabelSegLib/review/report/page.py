"""The frame of a report: one self-contained HTML file with its style, tables, colors and legends."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import Any

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


SCRIPTS = ("1_data", "2_drawing", "3_viewer", "4_errors", "5_grades", "6_page")


@lru_cache(maxsize=1)
def script() -> str:
    """The script of every report; no function of it is visible to anything else in the page."""
    parts = (resource_path(f"report/{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)
    return '"use strict";\n(() => {\n' + "\n".join(parts) + "})();\n"


def data_block(data: Mapping[str, Any]) -> str:
    """The data of the script as JSON, in which no letter can end the element or begin another one."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return f'<script type="application/json" id="data">{text}</script>\n'


def page(
    title: str, body: Iterable[str], annotators: int, translate: Translate, data: Mapping[str, Any] | None = None
) -> str:
    """A whole page; its switch for colors needs no script. With `data`, the script of the report comes with it.

    The page may load nothing, and run no script but this one.
    """
    style = resource_path("report/report.css").read_text(encoding="utf-8")
    switch = escape(translate("Colors of the paper"))
    digest = base64.b64encode(hashlib.sha256(script().encode("utf-8")).digest()).decode("ascii")
    allowed = "'none'" if data is None else f"'sha256-{digest}'"
    policy = (
        f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src {allowed}; "
        "base-uri 'none'; form-action 'none'"
    )
    scripts = "" if data is None else f"{data_block(data)}<script>{script()}</script>\n"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}{_color_rules(annotators)}</style>\n</head>\n<body>\n"
        '<input type="checkbox" id="paper">\n'
        f'<main>\n<div class="switch"><label for="paper">{switch}</label></div>\n' + "\n".join(body) + "\n</main>\n"
        f"{scripts}</body>\n</html>\n"
    )


def table(
    caption: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    words: Sequence[int] = (),
    sortable: bool = True,
) -> str:
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
        f'<div class="scroll{" long" if words else ""}"><table{" class=sortable" if sortable else ""}>'
        f"<caption>{escape(caption)}</caption>"
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
    names = {"found": "Found", "missed": "Missed", "invented": "False positive objects"}
    return _legend([(f'<path class="{kind}" d="M0 0h10v10h-10z"/>', translate(name)) for kind, name in names.items()])


def outline_legend(annotators: Mapping[int, str], translate: Translate) -> str:
    """Which line is whose, by the place of each annotator in the study."""
    lines = [
        ("truth", translate("Reference")),
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
