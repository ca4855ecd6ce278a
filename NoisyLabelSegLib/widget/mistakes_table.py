"""The table of an annotator's errors; a click on a row brings the views there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from slicer.i18n import tr as _

from NoisyLabelSegLib.review.compare.mistakes import Mistake, MistakeKind
from NoisyLabelSegLib.widget.tables import SortedRows, fitColumns, fitRows, numberItem, textItem

KIND, SIZE, DEPTH, SLICES, BY = range(5)
ROWS_SEEN = 5


class MistakesTable:
    """Rows are the errors in the order that people sorted them by, largest first at first."""

    def __init__(self, table: Any, goTo: Callable[[Mistake], None]) -> None:
        self._table, self._goTo = table, goTo
        self._mistakes: list[Mistake] = []
        self._shown: list[Mistake] = []
        self._current: Mistake | None = None
        fitColumns(table, stretched=(KIND,))
        self._sorted = SortedRows(table, self._fill)
        table.itemSelectionChanged.connect(self.onSelected)

    @property
    def order(self) -> list[Mistake]:
        """The errors as they are listed."""
        return self._shown

    def show(self, mistakes: Sequence[Mistake], current: Mistake | None) -> None:
        """Lists these errors; the row of the current one is selected."""
        self._mistakes, self._current = list(mistakes), current
        self._fill()

    def onSelected(self) -> None:
        row = self._table.currentRow()
        if 0 <= row < len(self._shown) and self._shown[row] is not self._current:
            self._current = self._shown[row]
            self._goTo(self._current)

    def _fill(self) -> None:
        table = self._table
        keys = [_kind, lambda m: m.size, lambda m: m.depth, lambda m: m.first_slice, lambda m: _who(m).lower()]
        self._shown = self._sorted.inOrder(self._mistakes, keys)
        table.blockSignals(True)
        table.clearSelection()
        table.rowCount = len(self._shown)
        for row, mistake in enumerate(self._shown):
            words = ", ".join((mistake.annotator, *mistake.shared_with))
            table.setItem(row, KIND, textItem(_kind(mistake)))
            table.setItem(row, SIZE, numberItem(_size(mistake), mistake.units.of_size(mistake.size)))
            table.setItem(row, DEPTH, numberItem(f"{mistake.depth:.1f}", mistake.units.of_length(mistake.depth)))
            table.setItem(row, SLICES, numberItem(_slices(mistake), _slices(mistake)))
            table.setItem(row, BY, textItem(_who(mistake), words))
            if mistake == self._current:
                table.selectRow(row)
        table.blockSignals(False)
        fitRows(table, ROWS_SEEN)
        table.visible = bool(self._shown)


def _size(mistake: Mistake) -> str:
    """In ml; in 2D in the unit of areas."""
    if mistake.units.size != "mm³":
        return f"{mistake.size:.0f}"
    milliliters = mistake.size / 1000
    return f"{milliliters:.1f}" if milliliters >= 10 else f"{milliliters:.2f}"


def _slices(mistake: Mistake) -> str:
    first, last = mistake.first_slice, mistake.last_slice
    return str(first) if first == last else f"{first}–{last}"


def _who(mistake: Mistake) -> str:
    """How many others made it too; the tooltip has all names."""
    return f"+{len(mistake.shared_with)}" if mistake.shared_with else "–"


def _kind(mistake: Mistake) -> str:
    words: dict[MistakeKind, str] = {
        MistakeKind.MISSED: _("missed"),
        MistakeKind.INVENTED: _("false mark"),
        MistakeKind.TOO_WIDE: _("too wide"),
        MistakeKind.TOO_TIGHT: _("too tight"),
        MistakeKind.HOLE: _("hole"),
        MistakeKind.WRONG_CLASS: _("wrong class"),
    }
    return words[mistake.kind]
