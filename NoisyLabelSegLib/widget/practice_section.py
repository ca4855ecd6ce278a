"""The section for trainees: draw first, then reveal, with a score, the errors one by one, and progress over time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import qt
import slicer
from slicer.i18n import tr as _

from NoisyLabelSegLib.review.compare.mistakes import Mistake
from NoisyLabelSegLib.review.practice.spread import SpreadScore
from NoisyLabelSegLib.review.sentences import mistake_sentences
from NoisyLabelSegLib.widget.background_review import BackgroundReview
from NoisyLabelSegLib.widget.charts import showChart
from NoisyLabelSegLib.widget.job_button import TimerPoller
from NoisyLabelSegLib.widget.mistakes_table import MistakesTable
from NoisyLabelSegLib.widget.practice_logic import PracticeLogic
from NoisyLabelSegLib.widget.segment_editor import drawInSegmentEditor
from NoisyLabelSegLib.widget.steps import Steps, explain, saidIn, say

RECORD_FILE = "NoisyLabelSeg-practice.json"


def recordPath() -> Path:
    """The user's own file, beside the settings of the application."""
    return Path(str(qt.QSettings().fileName())).parent / RECORD_FILE


class PracticeSection:
    """`curtain` are the controls that would tell the answer; they are out of sight or reach until it is revealed."""

    def __init__(self, ui: Any, logic: PracticeLogic, curtain: Sequence[Any]) -> None:
        self._ui, self._logic, self._curtain = ui, logic, list(curtain)
        self._background = BackgroundReview(
            logic, Steps(ui.practiceMessage), TimerPoller, lambda sentence: say(ui.practiceMessage, sentence)
        )
        self._mistakes = MistakesTable(ui.practiceTable, self._goTo)
        ui.drawButton.clicked.connect(self.onDraw)
        ui.revealButton.clicked.connect(self.onReveal)
        ui.retryButton.clicked.connect(self.onDraw)
        ui.eraseButton.clicked.connect(self.onErase)
        ui.progressButton.clicked.connect(self.onPlot)
        ui.exportProgressButton.clicked.connect(self.onExport)
        ui.deleteProgressButton.clicked.connect(self.onDelete)
        logic.changed.connect(lambda _news: self.update())
        self.update()

    def update(self) -> None:
        """Shows what can be done now, and what is known."""
        ui, logic = self._ui, self._logic
        hidden, problem = logic.isHidden, logic.problem()
        for control in self._curtain:
            control.visible = not hidden
        if hidden:
            ui.practiceSection.collapsed = False
        say(ui.practiceText, self._whatNow(hidden))
        nothing = "" if hidden else _("Press Draw first.")
        explain(ui.drawButton, problem, _("Hides the truth and the annotators, and opens Segment Editor."))
        explain(ui.revealButton, problem or nothing, _("Shows the truth and the annotators, with your score."))
        revealed = "" if logic.score is not None else _("Reveal first.")
        explain(ui.retryButton, problem or revealed, _("Hides everything again; your drawing stays."))
        explain(ui.eraseButton, problem or revealed, _("Hides everything again and begins with an empty drawing."))
        say(ui.scoreText, "" if logic.score is None else _scoreSentences(logic.score, len(logic.mistakes)))
        self._mistakes.show(logic.mistakes, None)
        if logic.score is None:
            say(ui.practiceMistakeText, "")
        self._sayProgress()

    def onDraw(self) -> None:
        self._draw(anew=False)

    def onErase(self) -> None:
        self._draw(anew=True)

    def onReveal(self) -> None:
        say(self._ui.practiceMessage, "")
        if self._logic.isLarge:
            self._background.start()
        else:
            with saidIn(self._ui.practiceMessage), slicer.util.WaitCursor():
                self._logic.reveal()

    @property
    def running(self) -> bool:
        return self._background.running

    def leaveScene(self) -> None:
        self._background.close()

    def onPlot(self) -> None:
        with saidIn(self._ui.practiceMessage):
            showChart(*self._logic.plot())

    def onExport(self) -> None:
        path = qt.QFileDialog.getSaveFileName(
            slicer.util.mainWindow(), _("Save my progress"), "progress.csv", _("Table (*.csv)")
        )
        if path:
            with saidIn(self._ui.practiceMessage):
                self._logic.record.export(Path(str(path)))
                say(self._ui.practiceMessage, _("Saved {path}.").format(path=Path(str(path)).name))

    def onDelete(self) -> None:
        if slicer.util.confirmYesNoDisplay(_("Delete all your attempts and scores? This cannot be undone.")):
            with saidIn(self._ui.practiceMessage):
                recordPath().unlink(missing_ok=True)
                self.update()

    def _draw(self, *, anew: bool) -> None:
        with saidIn(self._ui.practiceMessage):
            say(self._ui.practiceMessage, "")
            drawInSegmentEditor(self._logic.draw(anew=anew), self._logic.image)
            say(self._ui.practiceMessage, _("Your segmentation is in Segment Editor; come back here to reveal."))

    def _goTo(self, mistake: Mistake) -> None:
        with saidIn(self._ui.practiceMessage):
            self._logic.goTo(mistake)
            say(self._ui.practiceMistakeText, mistake_sentences(mistake, _))

    def _whatNow(self, hidden: bool) -> str:
        if hidden:
            return str(_("The truth and the annotators are hidden. Draw in Segment Editor, then press Reveal."))
        return str(_("Draw the case yourself before you see what the others drew."))

    def _sayProgress(self) -> None:
        with saidIn(self._ui.practiceMessage):
            record = self._logic.record
            none = "" if record.attempts else _("There are no attempts yet.")
            explain(self._ui.progressButton, none, _("Plots your scores over all attempts."))
            explain(self._ui.exportProgressButton, none, _("Saves your attempts as a CSV table."))
            explain(self._ui.deleteProgressButton, none, _("Deletes the file that keeps your attempts."))
            sentences = []
            if record.attempts:
                cases = len({attempt.case for attempt in record.attempts})
                text = _("Attempts so far: {attempts}; cases: {cases}, of which {due} are due again.")
                due = len(record.due(date.today()))
                sentences.append(text.format(attempts=len(record.attempts), cases=cases, due=due))
            earlier = self._logic.earlier()
            if earlier:
                text = _("This case: last drawn on {date}, Dice {dice:.2f}.")
                sentences.append(text.format(date=earlier[-1].date, dice=earlier[-1].dice_with_experts))
            say(self._ui.progressText, " ".join(sentences))


def _scoreSentences(score: SpreadScore, errors: int) -> str:
    sentences = []
    if score.dice_undisputed is not None:
        text = _("Where all annotators agree, your Dice is {dice:.3f}; voxels on which they disagree do not count.")
        sentences.append(text.format(dice=score.dice_undisputed))
    if score.experts_low is None:
        sentences.append(_("With the only annotator, your Dice is {dice:.3f}.").format(dice=score.dice_with_experts))
    else:
        inside = _("within the range of annotators with each other ({low:.3f} to {high:.3f})")
        below = _("below the range of annotators with each other ({low:.3f} to {high:.3f})")
        words = (inside if score.is_within else below).format(low=score.experts_low, high=score.experts_high)
        text = _("With each annotator, your Dice is {dice:.3f} on average, {words}.")
        sentences.append(text.format(dice=score.dice_with_experts, words=words))
    sentences.append(_("Errors outside their spread: {errors}.").format(errors=errors))
    sentences.append(_("Magenta lines are your drawing, the other lines are the truth."))
    return " ".join(sentences)
