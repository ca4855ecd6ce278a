"""The section that steps a reader through the cases that were handed out, with a timer for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import qt
import slicer
from slicer.i18n import tr as _

from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.widget.steps import explain, saidIn, say
from NoisyLabelSegLib.widget.worklist_logic import WorklistLogic

TICK_MILLISECONDS = 1000


class WorklistSection:
    """`show` brings a case into the views."""

    def __init__(self, ui: Any, logic: WorklistLogic, show: Callable[[CaseFolder], None]) -> None:
        self._ui, self.logic, self._show = ui, logic, show
        self._isFilling = False
        self._timer = qt.QTimer()
        self._timer.interval = TICK_MILLISECONDS
        self._timer.timeout.connect(self.onTick)
        ui.worklistPath.currentPathChanged.connect(self.update)
        ui.worklistOpenButton.clicked.connect(self.onOpen)
        ui.worklistPrevious.clicked.connect(self.onPrevious)
        ui.worklistNext.clicked.connect(self.onNext)
        ui.worklistFinished.toggled.connect(self.onFinished)
        ui.worklistPause.toggled.connect(self.onPause)
        ui.worklistSave.clicked.connect(self.onSave)
        say(ui.worklistMessage, "")
        self.update()

    def leaveScene(self) -> None:
        """Saves the case that is shown, since its nodes go."""
        self._timer.stop()
        if self.logic.isOpen:
            with saidIn(self._ui.worklistMessage):
                self.logic.save()
        self.logic.leaveScene()
        self.update()

    def onOpen(self) -> None:
        with saidIn(self._ui.worklistMessage):
            if self.logic.isOpen:
                self.logic.save()
            self._open(self.logic.open(self._ui.worklistPath.currentPath))

    def onPrevious(self) -> None:
        self._step(-1)

    def onNext(self) -> None:
        self._step(1)

    def onFinished(self) -> None:
        if self._isFilling or not self.logic.isOpen:
            return
        with saidIn(self._ui.worklistMessage):
            self.logic.finish(finished=self._ui.worklistFinished.checked)
            say(self._ui.worklistMessage, _("Saved."))
        self.update()

    def onPause(self) -> None:
        self.onTick()

    def onSave(self) -> None:
        with saidIn(self._ui.worklistMessage):
            self.logic.save()
            say(self._ui.worklistMessage, _("Saved."))

    def onTick(self) -> None:
        if self.logic.isOpen:
            self.logic.tick(isWorking=not self._ui.worklistPause.checked)
            self._ui.worklistTime.text = _clock(self.logic.seconds)

    def update(self) -> None:
        """Shows what can be done now, and why not where it cannot."""
        ui, logic = self._ui, self.logic
        reason = "" if ui.worklistPath.currentPath else _("Choose the folder that was handed out to you.")
        explain(ui.worklistOpenButton, reason, _("Opens the first case that is not finished."))
        closed = "" if logic.isOpen else _("Open a package first.")
        first = closed or ("" if logic.place > 0 else _("This is the first case."))
        last = logic.isOpen and logic.place == len(logic.current.entries) - 1
        explain(ui.worklistPrevious, first, _("Saves this case and opens the one before."))
        beyond = closed or (_("This is the last case.") if last else "")
        explain(ui.worklistNext, beyond, _("Saves this case and opens the next one."))
        explain(ui.worklistFinished, closed, _("Finished cases are collected, even where nothing is marked."))
        explain(ui.worklistPause, closed, _("Stops the time until you press it again."))
        explain(ui.worklistSave, closed, _("Writes what you drew into the package."))
        self._fill()

    def _fill(self) -> None:
        ui, logic = self._ui, self.logic
        if not logic.isOpen:
            say(ui.worklistState, "")
            ui.worklistTime.text = ""
            return
        worklist = logic.current
        entry = worklist.entries[logic.place]
        words = _(
            "{id}: case {number} of {count}, {finished} finished. Draw in {segmentation}, for example with the Segment "
            "Editor."
        )
        say(
            ui.worklistState,
            words.format(
                id=entry.id,
                number=logic.place + 1,
                count=len(worklist.entries),
                finished=worklist.finished,
                segmentation=logic.drawing.GetName() if logic.drawing is not None else worklist.reader,
            ),
        )
        ui.worklistTime.text = _clock(logic.seconds)
        self._isFilling = True
        ui.worklistFinished.checked = entry.finished is True
        self._isFilling = False

    def _step(self, by: int) -> None:
        with saidIn(self._ui.worklistMessage):
            self._open(self.logic.step(by))

    def _open(self, folder: CaseFolder) -> None:
        say(self._ui.worklistMessage, "")
        self._show(folder)
        self._ui.worklistPause.checked = False
        self._timer.start()
        self.logic.tick(isWorking=True)
        self.update()


def showInViews(folder: CaseFolder) -> None:
    """Lets all views show the image of a case, whole."""
    slicer.util.setSliceViewerLayers(background=folder.image, foreground=None, label=None)
    manager = slicer.app.layoutManager()
    if manager is not None:  # there is none without a main window
        manager.resetSliceViews()


def _clock(seconds: float) -> str:
    """Minutes and seconds, such as 3:07."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
