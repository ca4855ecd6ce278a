"""What the adjudication section shows: the table, the sentence, the readers as buttons, and what can be pressed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import qt
from slicer.i18n import tr as _

from NoisyLabelSegLib.widget.adjudication_logic import AdjudicationLogic
from NoisyLabelSegLib.widget.adjudication_words import kindOf, onButton, placeOf, sentenceOf, sizeOf
from NoisyLabelSegLib.widget.steps import explain, say
from NoisyLabelSegLib.widget.tables import fitColumns, fitRows

REGION, READERS, DECISION = range(3)
ROWS_SEEN, MOST_ROWS = 5, 300
READERS_IN_A_ROW, READER_KEYS = 2, 9


class AdjudicationDisplay:
    """`take` is called with the place of the group of readers whose button was pressed."""

    def __init__(self, ui: Any, logic: AdjudicationLogic, take: Callable[[int], None]) -> None:
        self._ui, self._logic, self._take = ui, logic, take
        self._readers: list[Any] = []
        self._commented: tuple[int, Any] = (0, None)
        fitColumns(ui.disagreementTable, stretched=(READERS, DECISION))

    def fill(self, number: int) -> None:
        """Lists the disagreements, largest first, with the one of this number selected."""
        session, table = self._logic.session, self._ui.disagreementTable
        count = 0 if session is None else min(len(session), MOST_ROWS)
        table.blockSignals(True)
        table.clearSelection()
        table.rowCount = count
        for row in range(count):
            for column, text in enumerate(self._row(row + 1)):
                item = qt.QTableWidgetItem(text)
                item.setToolTip(text)
                table.setItem(row, column, item)
        if 0 < number <= count:
            table.selectRow(number - 1)
        table.blockSignals(False)
        fitRows(table, ROWS_SEEN)

    def _row(self, number: int) -> list[str]:
        session = self._logic.session
        assert session is not None
        found = session[number]
        readers = self._logic.shown.inTable(number)
        conflict = self._logic.shown.conflict(number)
        decision = _("conflict: {both}").format(both=conflict) if conflict else self._logic.shown.choice(number)
        return [f"{kindOf(found)}, {sizeOf(found)}\n{placeOf(found)}", readers, decision]

    def update(self, number: int) -> None:
        """Says what the disagreement of this number is, and what can be done about it."""
        session, ui = self._logic.session, self._ui
        hasOne = session is not None and 0 < number <= len(session)
        say(ui.signedText, self._logic.signedWords if session is not None else "")
        if session is not None:
            say(ui.disagreementText, self._sentence(number) if hasOne else self._noneLeft())
        self._showReaders(number if hasOne else 0)
        reason = self._whyNot(hasOne)
        explain(ui.majorityButton, reason, _("Takes the majority vote of the annotators (Shift+M)."))
        explain(ui.estimateChoiceButton, reason, _("Takes the estimate or reference (Shift+E)."))
        explain(ui.unclearButton, reason, _("Keeps the estimate and marks the region as unclear (Shift+U)."))
        explain(
            ui.editButton,
            reason,
            _("Opens Segment Editor with the truth; what you change there is the decision (Shift+D)."),
        )
        self._updateFiles(reason if session is None else "")
        made = session.decided.get(number) if session is not None else None
        if self._commented != (number, made):  # else somebody may be writing
            self._commented = number, made
            ui.commentEdit.text = "" if made is None else made.comment

    def _updateFiles(self, nothing: str) -> None:
        session, ui = self._logic.session, self._ui
        empty = nothing or _("Nothing has been decided yet.")
        canUndo = session is not None and session.can_undo
        explain(ui.undoButton, "" if canUndo else empty, _("Takes the last decision back (Shift+Z)."))
        isDone = session is not None and not session.undecided
        ui.nextUndecidedButton.text = _("Next case") if isDone else _("Next undecided")
        tip = _("Opens the next case with disagreements.") if isDone else _("Jumps to the next one (Shift+J).")
        explain(ui.nextUndecidedButton, nothing, tip)
        explain(
            ui.mergeButton, nothing, _("Adds the decisions of another adjudicator; where you differ, both are listed.")
        )
        hasDecisions = session is not None and bool(session.decided)
        explain(
            ui.saveDecisionsButton,
            "" if hasDecisions else empty,
            _("Writes decisions.json, with which the command line makes the same truth."),
        )
        explain(
            ui.signOffButton, self._whyNotSigned(nothing), _("Makes this truth the one of the study, with your name.")
        )
        fixed = "" if self._logic.canChooseShare else _("Decisions were made with this share; undo them to change it.")
        explain(ui.shareBox, fixed, _("Voxels on which this share of the annotators agree need no decision."))

    def _sentence(self, number: int) -> str:
        session = self._logic.session
        assert session is not None
        words = sentenceOf(session[number], len(session), len(session.undecided), self._logic.shown.marks(number))
        conflict, choice = self._logic.shown.conflict(number), self._logic.shown.choice(number)
        if conflict:
            return str(f"{words} " + _("Decided differently: {both}.").format(both=conflict))
        made = session.decided.get(number)
        if made is None:
            return words
        by = " ".join(filter(None, (made.by, made.date)))
        return str(f"{words} " + _("Decided: {choice} ({by}).").format(choice=choice, by=by))

    def _noneLeft(self) -> str:
        session = self._logic.session
        assert session is not None
        gone = len(session.unmatched)
        words = [_("There are no disagreements.")] if not len(session) else []
        if gone:
            text = _("{count} decisions are about regions that are no longer there, since labels have changed.")
            words.append(text.format(count=gone))
        return " ".join(words)

    def _showReaders(self, number: int) -> None:
        """A button for each group of readers who drew the same in the region."""
        groups = self._logic.shown.groups(number) if number else []
        layout = self._ui.readersArea.layout()
        while len(self._readers) < len(groups):
            place = len(self._readers)
            button = qt.QPushButton("")
            button.clicked.connect(self._pressed(place))
            layout.addWidget(button, place // READERS_IN_A_ROW, place % READERS_IN_A_ROW)
            self._readers.append(button)
        reason = self._whyNot(bool(number))
        for place, button in enumerate(self._readers):
            button.visible = place < len(groups)
            if place < len(groups):
                who = groups[place][1]
                button.text = onButton(who)
                key = f" (Alt+{place + 1})" if place < READER_KEYS else ""
                explain(button, reason, _("Takes what {who} drew here").format(who=who) + key + ".")
        self._ui.readersArea.visible = bool(groups)

    def _pressed(self, place: int) -> Callable[[], None]:
        return lambda: self._take(place)

    def _whyNot(self, hasOne: bool) -> str:
        reason: str = ""
        if self._logic.session is None:
            reason = self._logic.problem() or _("The disagreements are being listed.")
        elif not hasOne:
            reason = _("Select a disagreement in the table first.")
        elif not self._logic.adjudicator:
            reason = _("Enter your name first: every decision carries it.")
        return reason

    def _whyNotSigned(self, nothing: str) -> str:
        session = self._logic.session
        if session is None:
            return nothing
        if not self._logic.adjudicator:
            return str(_("Enter your name first: every decision carries it."))
        if session.conflicts:
            return str(_("Decide about the conflicts first."))
        return str(_("This truth is signed off already.")) if self._logic.signedWords else ""
