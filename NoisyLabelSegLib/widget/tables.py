"""Tables that fit the panel: no column is cut off at its width in Slicer, and no table is higher than its rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import qt

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
