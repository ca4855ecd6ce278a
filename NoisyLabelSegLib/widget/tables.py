"""Tables that fit the panel: no column is cut off at its width in Slicer, and no table is higher than its rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import qt

Row = TypeVar("Row")
ROW_PIXELS = 22
"""How high an empty table takes a row to be."""


def fitColumns(table: Any, *, stretched: Sequence[int]) -> None:
    """Lets these columns share the width that the others leave; what does not fit into them ends with dots."""
    header = table.horizontalHeader()
    header.highlightSections = False  # bold titles would be wider
    header.minimumSectionSize = 1
    for column in range(table.columnCount):
        isStretched = column in stretched
        header.setSectionResizeMode(column, qt.QHeaderView.Stretch if isStretched else qt.QHeaderView.ResizeToContents)


def fitRows(table: Any, most: int) -> None:
    """Makes a table as high as its rows, at least two and at most so many; then it scrolls."""
    rows, edges = min(max(table.rowCount, 2), most), 2 * table.frameWidth
    row = table.rowHeight(0) if table.rowCount else ROW_PIXELS
    table.setFixedHeight(max(table.horizontalHeader().height, ROW_PIXELS) + rows * row + edges)


class SortedRows:
    """Sorts the rows of a table by the column whose title is clicked; a second click turns the order around."""

    def __init__(self, table: Any, refill: Callable[[], None]) -> None:
        self._header, self._refill = table.horizontalHeader(), refill
        self._column: int | None = None
        self._falling = False
        self._header.sectionClicked.connect(self.onClicked)

    def onClicked(self, column: int) -> None:
        self._falling = not self._falling if column == self._column else False
        self._column = column
        self._header.showSortIndicator = True
        order = qt.Qt.DescendingOrder if self._falling else qt.Qt.AscendingOrder
        self._header.setSortIndicator(column, order)
        self._refill()

    def forget(self) -> None:
        """The order of the rows themselves counts again."""
        self._column = None
        self._header.showSortIndicator = False

    def inOrder(self, rows: Sequence[Row], keys: Sequence[Callable[[Row], Any]]) -> list[Row]:
        """The rows by the chosen column, whose values `keys` read; rows without a value come last."""
        if self._column is None or self._column >= len(keys):
            return list(rows)
        key = keys[self._column]
        known = [row for row in rows if key(row) is not None]
        return [*sorted(known, key=key, reverse=self._falling), *(row for row in rows if key(row) is None)]


def textItem(text: str, toolTip: str = "") -> Any:
    """A cell whose tooltip is the whole text, since what is long is cut in its column."""
    item = qt.QTableWidgetItem(text)
    item.setToolTip(toolTip or text)
    return item


def numberItem(text: str, toolTip: str) -> Any:
    item = textItem(text, toolTip)
    item.setTextAlignment(_RIGHT)
    return item


_RIGHT = 0x0082
"""Qt::AlignRight and Qt::AlignVCenter as a number, which both kinds of Qt for Python take."""
