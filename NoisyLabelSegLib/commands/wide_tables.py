"""Tables for people: columns that do not fit beside each other go on below, behind the first column again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from NoisyLabelSegLib.words import shown

_SHORT, _WIDEST = 24, 40
"""Cells of up to this many letters are not broken; no column needs more than this many."""
_Column = tuple[str, list[str]]
"""The title of a column, and its cells."""


def side_by_side(columns: Sequence[str], rows: Iterable[Sequence[Any]], room: int) -> list[Table]:
    """One table where all columns fit into `room` letters, otherwise several that each begin with the first column."""
    cells = [[shown(str(cell)) for cell in row] for row in rows]
    table = [(shown(title), [row[index] for row in cells]) for index, title in enumerate(columns)]
    parts = [table[:1]]
    for column in table[1:]:
        if len(parts[-1]) > 1 and _room([*parts[-1], column]) > room:
            parts.append(table[:1])
        parts[-1] = [*parts[-1], column]
    return [_table(part, room) for part in parts]


def _table(columns: Sequence[_Column], room: int) -> Table:
    table = Table()
    spare = max(room - _room(columns), 0)
    for title, cells in columns:
        numeric = bool(cells) and all(map(_looks_like_a_number, cells))
        least = _least_width(title, cells)
        more = min(max(map(cell_len, (title, *cells))) - least, spare)
        spare -= more
        table.add_column(Text(title), justify="right" if numeric else "left", overflow="fold", width=least + more)
    for row in zip(*(cells for _, cells in columns), strict=True):
        table.add_row(*map(Text, row))  # a plain text cell would be read as markup
    return table


def _room(columns: Sequence[_Column]) -> int:
    """What the columns need at least, with the lines between them."""
    return sum(_least_width(*column) + 3 for column in columns) + 1


def _least_width(title: str, cells: Sequence[str]) -> int:
    """In which no word of the title and no short cell is broken; longer cells are wrapped between words."""
    words = [*title.split(), *(part for cell in cells for part in ([cell] if len(cell) <= _SHORT else cell.split()))]
    return min(max(map(cell_len, words), default=1), _WIDEST)


def _looks_like_a_number(text: str) -> bool:
    try:
        float(text.strip().rstrip("%") or 0)
    except ValueError:
        return text == "–"
    return True
