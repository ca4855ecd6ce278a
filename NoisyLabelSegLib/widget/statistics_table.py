"""The table of the annotators' figures: several sets of columns, each fitting the panel, sorted by any of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import qt
from slicer.i18n import tr as _

from NoisyLabelSegLib.review.compare.statistics import AnnotatorStatistics
from NoisyLabelSegLib.widget.tables import SortedRows, fitColumns, fitRows, numberItem, textItem

NAME = 0
ROWS_SEEN = 6
"""Tables grow up to so many rows, then they scroll, so that what is below them stays in sight."""
OVERVIEW = "overview"
SETS = {
    OVERVIEW: ("dice", "missed_ml", "extra_ml", "boundary_bias_mm"),
    "others": ("dice", "dice_leave_one_out"),
    "borders": ("dice", "boundary_bias_mm", "surface_distance_mm", "hd95_mm"),
    "objects": ("dice", "found_objects", "missed_objects", "invented_objects"),
    "volumes": ("volume_ml", "missed_ml", "extra_ml", "wrong_class_ml"),
}
"""The columns after the name; four fit beside it at the width that the panel has in Slicer at first.

Where the truth is a fusion, the overview of one class has the Dice to the fusion of the others in place of the bias,
which the sentence about the annotator tells.
"""


class StatisticsTable:
    """Keeps the selected annotator when the rows or the columns change."""

    def __init__(self, table: Any, selector: Any) -> None:
        self._table, self._selector = table, selector
        self._rows: list[AnnotatorStatistics] = []
        self._several = False
        for name, title in _setTitles().items():
            selector.addItem(title, name)
        selector.activated.connect(self.onSet)
        self._sorted = SortedRows(table, self._fill)

    @property
    def annotator(self) -> str:
        """The selected annotator, empty if none."""
        row = self._table.currentRow()
        item = self._table.item(row, NAME) if row >= 0 else None
        return item.text() if item is not None else ""

    def onSet(self) -> None:
        self._sorted.forget()
        self._fill()

    def show(self, rows: Sequence[AnnotatorStatistics], selected: str, *, severalClasses: bool) -> None:
        """One row per annotator; the wrong class has a column where there are several classes."""
        self._rows, self._several = list(rows), severalClasses
        self._fill(selected)

    def _fill(self, selected: str = "") -> None:
        table, selected = self._table, selected or self.annotator
        figures = self._figures()
        table.blockSignals(True)
        table.columnCount = 1 + len(figures)
        for column, name in enumerate(("", *figures)):
            table.setHorizontalHeaderItem(column, _titleItem(name))
        fitColumns(table, stretched=(NAME,))
        rows = self._sorted.inOrder(self._rows, [lambda row: row.annotator.lower(), *map(_reader, figures)])
        table.rowCount = len(rows)
        for place, row in enumerate(rows):
            table.setItem(place, NAME, textItem(row.annotator))
            for column, name in enumerate(figures, start=1):
                table.setItem(place, column, numberItem(figureText(name, _value(row, name)), row.annotator))
            if row.annotator == selected:
                table.selectRow(place)
        table.blockSignals(False)
        fitRows(table, ROWS_SEEN)

    def _figures(self) -> tuple[str, ...]:
        name = str(self._selector.itemData(self._selector.currentIndex) or OVERVIEW)
        figures: tuple[str, ...] = SETS[name]
        if name == OVERVIEW and self._several:
            figures = ("dice", "missed_ml", "extra_ml", "wrong_class_ml")
        elif name == OVERVIEW and any(row.dice_leave_one_out is not None for row in self._rows):
            figures = ("dice", "dice_leave_one_out", "missed_ml", "extra_ml")
        return figures


def figureText(name: str, value: float | None) -> str:
    """A figure as the table shows it; a dash where there is none."""
    if value is None:
        return "–"
    if name.endswith("_objects"):
        return f"{value:.0f}"
    if name.endswith("_ml"):
        return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
    if name.endswith("_mm"):
        return f"{value:+.1f}" if "bias" in name else f"{value:.1f}"
    return f"{value:.3f}"


def _reader(name: str) -> Any:
    return lambda row: _value(row, name)


def _value(row: AnnotatorStatistics, name: str) -> float | None:
    value = row.objects - row.missed_objects if name == "found_objects" else getattr(row, name)
    return None if value is None else float(value)


def _titleItem(name: str) -> Any:
    title, tip = _columns()[name]
    item = qt.QTableWidgetItem(title)
    item.setToolTip(tip)
    return item


def _setTitles() -> dict[str, str]:
    return {
        OVERVIEW: _("Overview"),
        "others": _("Dice to others"),
        "borders": _("Borders"),
        "objects": _("Objects: found, missed, false"),
        "volumes": _("Volumes and wrong class"),
    }


def _columns() -> dict[str, tuple[str, str]]:
    return {
        "": (_("Name"), _("The annotator. Click a title to sort by it.")),
        "dice": (_("Dice"), _("Overlap with the truth: 1 is perfect.")),
        "dice_leave_one_out": (
            _("Dice to\nothers"),
            _("Overlap with a fusion, by the same method, of the labels of all others."),
        ),
        "missed_ml": (_("Missed\nml"), _("Volume of the truth that was not marked.")),
        "extra_ml": (_("Extra\nml"), _("Volume that was marked and is not there.")),
        "wrong_class_ml": (_("Wrong\nml"), _("Volume of the class that was marked as another class.")),
        "volume_ml": (_("Marked\nml"), _("Volume that was marked.")),
        "boundary_bias_mm": (
            _("Bias\nmm"),
            _("How far outside (+) or inside (-) the border is drawn, on average."),
        ),
        "surface_distance_mm": (_("Mean\nmm"), _("Mean distance between the two borders, to either side.")),
        "hd95_mm": (_("HD95\nmm"), _("95 % of the border lie closer to the other border than this.")),
        "found_objects": (_("Found"), _("Objects of the truth that were found.")),
        "missed_objects": (_("Missed"), _("Objects of the truth that were missed.")),
        "invented_objects": (_("False"), _("Marked objects that are not there.")),
    }
