"""The tables of a study's agreement: as rows for CSV files, and as Markdown and LaTeX for a manuscript."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from NoisyLabelSegLib.agreement.series import MEASURES, number, of_class
from NoisyLabelSegLib.agreement.study import StudyAgreement

Row = dict[str, Any]
_TITLES = {
    "dice": ("Dice", 3),
    "surface_dice": ("Surface Dice", 3),
    "hd95": ("HD95 (mm)", 2),
    "assd": ("ASSD (mm)", 2),
    "f1": ("Object F1", 3),
    "panoptic_quality": ("PQ", 3),
}


@dataclass(frozen=True)
class Table:
    """Cells as text, the first row of a manuscript's table being `columns`."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def csv_files(agreement: StudyAgreement, content: Mapping[str, Any]) -> dict[str, list[Row]]:
    """The rows of every CSV file by its name; files without rows are left out."""
    within = content["within_readers"] or {"readers": {}}
    files = {
        "pairs.csv": _by_class(content, lambda part: part["pairs"]),
        "leave_one_out.csv": _by_class(content, lambda part: _named(part["leave_one_out"])),
        "leave_one_out_tests.csv": _by_class(content, lambda part: part["leave_one_out_tests"]),
        "bland_altman.csv": _by_class(content, lambda part: [_without_points(row) for row in part["bland_altman"]]),
        "reliability.csv": _by_class(content, _reliability_rows),
        "within_readers.csv": _named(within["readers"]),
        "consensus_of_groups.csv": content["consensus_of_groups"],
        "cases.csv": _case_rows(agreement),
        "volumes.csv": _volume_rows(agreement),
    }
    return {name: found for name, found in files.items() if found}


def _by_class(content: Mapping[str, Any], rows_of: Any) -> list[Row]:
    """The rows of the whole and then of every class, with a column that says which."""
    parts = {"all": content, **content["by_class"]} if content["by_class"] else {content["classes"][1]: content}
    return [{"class": name, **row} for name, part in parts.items() for row in rows_of(part)]


def _named(by_reader: Mapping[str, Row]) -> list[Row]:
    return [{"reader": name, **row} for name, row in by_reader.items()]


def _without_points(row: Row) -> Row:
    return {key: value for key, value in row.items() if key != "points"}


def _reliability_rows(part: Mapping[str, Any]) -> list[Row]:
    return [{"figure": name, **part[name]} for name in ("icc_2_1", "icc_3_1", "loam")]


def _case_rows(agreement: StudyAgreement) -> list[Row]:
    rows = []
    for case in agreement.cases:
        compared = [*(((a, b), found) for (a, b), found in case.pairs.items())]
        compared += [((name, name), found) for name, several in case.within.items() for found in several]
        for (a, b), found in compared:
            for label, name in enumerate(agreement.classes[1:], start=1):
                item = of_class(found, label)
                row: Row = {"case": case.id, "a": a, "b": b, "class": name}
                row |= {measure: number(getattr(item, measure)) for measure in MEASURES}
                row |= {"difference": item.difference, "hits": item.objects.hits, "misses": item.objects.misses}
                rows.append({**row, "false_alarms": item.objects.false_alarms})
    return rows


def _volume_rows(agreement: StudyAgreement) -> list[Row]:
    return [
        {"case": case.id, "reader": name, "reading": reading, "class": title, "volume": volume, "unit": agreement.unit}
        for case in agreement.cases
        for name, readings in case.volumes.items()
        for reading, by_class in enumerate(readings, start=1)
        for title, volume in zip(agreement.classes[1:], by_class, strict=True)
    ]


def manuscript_tables(agreement: StudyAgreement, content: Mapping[str, Any]) -> list[Table]:
    """The tables worth printing."""
    several = [(name, f", {name}") for name in content["by_class"]]
    tables = []
    for part, suffix in [(content, ""), *((content["by_class"][name], words) for name, words in several)]:
        tables += _tables_of(agreement, part, suffix)
    groups = content["consensus_of_groups"]
    if groups:
        rows = [
            (str(row["readers"]), str(row["cases"]), cell(row, "with_left_out", 3), cell(row, "with_all", 3))
            for row in groups
        ]
        columns = ("Readers", "Cases", "Dice with a reader outside", "Dice with the consensus of all")
        tables.append(Table("groups", "Consensus of a group of readers", columns, tuple(rows)))
    return tables


def _tables_of(agreement: StudyAgreement, part: Mapping[str, Any], suffix: str) -> list[Table]:
    measures = tuple(title.replace("(mm)", f"({agreement.length_unit})") for title, _ in _TITLES.values())
    tables = []
    if part["pairs"]:
        rows = [(f"{row['a']} – {row['b']}", *_figures(row)) for row in part["pairs"]]
        rows.append(("All pairs", *_figures(part["overall"])))
        tables.append(
            Table("pairs", f"Agreement of every pair of readers{suffix}", ("Pair", "Cases", *measures), tuple(rows))
        )
        rows = [(name, *_figures(row)) for name, row in part["leave_one_out"].items()]
        title = f"Each reader against the consensus of the others{suffix}"
        tables.append(Table("readers", title, ("Reader", "Cases", *measures), tuple(rows)))
        tables.append(_size_table(agreement, part, suffix))
    if part["within_readers"]:
        found = {**part["within_readers"]["readers"], "All readers": part["within_readers"]["overall"]}
        unit = agreement.unit
        rows = [(name, *_figures(row), _digits(row["repeatability"])) for name, row in found.items()]
        columns = ("Reader", "Cases", *measures, f"Repeatability coefficient ({unit})")
        tables.append(Table("within", f"Agreement within readers{suffix}", columns, tuple(rows)))
    return tables


def _size_table(agreement: StudyAgreement, part: Mapping[str, Any], suffix: str) -> Table:
    rows = []
    for name, title in (("icc_2_1", "ICC(2,1), absolute agreement"), ("icc_3_1", "ICC(3,1), consistency")):
        rows.append((title, str(part[name]["cases"]), cell(part, name, 3), "", ""))
    limits = cell(part, "loam", None)
    rows.append((f"Limits of agreement with the mean, ± {agreement.unit}", str(part["loam"]["cases"]), limits, "", ""))
    for row in part["bland_altman"]:
        ends = f"{_digits(row['lower'])} to {_digits(row['upper'])}"
        name = f"{row['b']} minus {row['a']}, {agreement.unit}"
        rows.append((name, str(row["cases"]), cell(row, "bias", None), ends, _p(row["p_holm"])))
    columns = ("", "Cases", "Value (95 % interval)", "95 % limits of agreement", "p (Holm)")
    return Table("sizes", f"Agreement on {agreement.size_word}{suffix}", columns, tuple(rows))


def _figures(row: Mapping[str, Any]) -> tuple[str, ...]:
    return (str(row["cases"]), *(cell(row, name, digits) for name, (_, digits) in _TITLES.items()))


def cell(row: Mapping[str, Any], name: str, digits: int | None) -> str:
    """A value with its interval in brackets, from flat keys or from an object with `value`, `low` and `high`."""
    entry = row[name]
    if isinstance(entry, Mapping):
        value, low, high = entry["value"], entry["low"], entry["high"]
    else:
        value, low, high = entry, row[f"{name}_low"], row[f"{name}_high"]
    if value is None or low is None or high is None:
        return _digits(value, digits)
    return f"{_digits(value, digits)} ({_digits(low, digits)} to {_digits(high, digits)})"


def _digits(value: float | None, digits: int | None = None) -> str:
    if value is None:
        return "–"
    return f"{value:.3g}" if digits is None and abs(value) < 1000 else f"{value:.{digits or 0}f}"


def _p(value: float | None) -> str:
    if value is None:
        return "–"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def markdown(tables: Sequence[Table]) -> str:
    """The tables as Markdown."""
    parts = []
    for table in tables:
        lines = [table.columns, tuple("---" for _ in table.columns), *table.rows]
        parts.append(f"**{escaped_markdown(table.title)}**\n")
        parts += ["| " + " | ".join(escaped_markdown(word) for word in line) + " |" for line in lines]
        parts.append("")
    return "\n".join(parts)


def escaped_markdown(text: str) -> str:
    """Text of unknown origin, which is to be shown as it is."""
    return text if text == "---" else re.sub(r"([\\`*_{}\[\]<>|#])", r"\\\1", " ".join(text.split()))


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "±": r"$\pm$",
    "²": r"$^2$",
    "<": r"$<$",
    ">": r"$>$",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}


def latex(tables: Sequence[Table]) -> str:
    """The tables as LaTeX, for a document that uses the package booktabs."""
    parts = []
    for table in tables:
        lines = [" & ".join(_latex(word) for word in line) + r" \\" for line in (table.columns, *table.rows)]
        parts += [
            r"\begin{table}",
            rf"\caption{{{_latex(table.title)}. In brackets: 95 \% interval.}}",
            rf"\begin{{tabular}}{{l{'r' * (len(table.columns) - 1)}}}",
            r"\toprule",
            lines[0],
            r"\midrule",
            *lines[1:],
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    return "\n".join(parts)


def _latex(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in " ".join(text.split()))
