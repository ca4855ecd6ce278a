"""A CSV table of cases: one row per case with a column per reader, or one row per labels file."""

from __future__ import annotations

import csv
from pathlib import Path

from NoisyLabelSegLib.cases.found_cases import TRUTH, Found, FoundCase
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.json_checks import read_text

EXAMPLE = "case,image,anna,bert"
_CASE = ("case", "id", "case_id", "subject")
_READER = ("reader", "annotator", "rater")
_LABELS = ("labels", "label", "mask", "segmentation", "file")
_IMAGE = "image"


def find_table(table: Path) -> Found:
    """Paths in the cells are relative to the table; empty cells are labels that do not exist."""
    text = read_text(table).lstrip("\ufeff")
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    rows = list(csv.DictReader(text.splitlines(), delimiter=delimiter, restkey="", restval=""))
    columns = [name for name in (rows[0] if rows else {}) if name]
    case_column = _one_of(columns, _CASE)
    if case_column is None:
        raise UserError(
            "is not a table of cases: it has no column 'case'",
            file=table,
            remedy=f"write a first line such as {EXAMPLE} (or case,image,reader,labels)",
        )
    reader, labels = _one_of(columns, _READER), _one_of(columns, _LABELS)
    long = reader is not None and labels is not None
    found = Found(
        "a table of cases",
        f"{table.name} has {'one row per labels file' if long else 'one row per case'}",
        f"the column {reader}" if long else "the names of the columns",
    )
    images = [name for name in columns if name.lower().startswith(_IMAGE)]
    taken = {case_column, *images, *([reader, labels] if long else [])}
    cases: dict[str, FoundCase] = {}
    for row in rows:
        id = (row[case_column] or "").strip()
        if not id:
            continue
        case = cases.setdefault(id, FoundCase(id))
        case.images = case.images or [_path(cell, table) for name in images for cell in row[name].split("|") if cell]
        for name in columns:
            cell = (row[name] or "").strip()
            if name in taken or not cell:
                continue
            if name.lower() in ("split", "patient"):
                setattr(case, name.lower(), cell)
            elif name.lower() in TRUTH or not long:
                case.add_labels(name, _path(cell, table))
        if reader is not None and labels is not None and row[labels]:
            case.add_labels((row[reader] or "").strip() or "reader1", _path(row[labels], table))
    found.cases = list(cases.values())
    found.name = table.stem
    if not found.has_labels:
        raise UserError("names no labels", file=table, remedy=f"write a first line such as {EXAMPLE}")
    return found


def _one_of(columns: list[str], names: tuple[str, ...]) -> str | None:
    return next((column for column in columns if column.strip().lower() in names), None)


def _path(cell: str, table: Path) -> Path:
    path = table.parent / cell.strip()
    if not path.exists():
        raise UserError(f"names {cell.strip()}, which does not exist", file=table, remedy="paths are relative to it")
    return path
