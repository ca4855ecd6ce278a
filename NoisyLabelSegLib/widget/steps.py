"""Long work of the main thread in steps, between which Qt handles events; messages to the user."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import qt
import slicer
from slicer.i18n import tr as _

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.widget.work import Work

NARROWEST_PIXELS = 240
"""How wide a label is at least in Slicer's panel; one that was never shown is narrower."""


class Steps:
    """A Runner: `label` says what goes on, and what went wrong."""

    def __init__(self, label: Any) -> None:
        self._label = label
        self._work: Work | None = None
        self._onFailed: Callable[[], None] = lambda: None
        self._said, self._isInStep = "", False
        self._timer = qt.QTimer()
        self._timer.interval = 0  # as soon as there is nothing else to handle
        self._timer.timeout.connect(self._step)

    @property
    def running(self) -> bool:
        return self._work is not None

    def run(self, work: Work, *, large: bool, onFailed: Callable[[], None] = lambda: None) -> None:
        """Large work goes on in the background, other work is done at once."""
        self.cancel()
        self._work, self._onFailed = work, onFailed
        if large:
            self._timer.start()
        else:
            self.finish()

    def finish(self) -> None:
        while self._work is not None:
            self._step()

    def cancel(self) -> None:
        self._timer.stop()
        work, self._work = self._work, None
        if work is not None and not self._isInStep:  # a step that begins something new ends by itself
            work.close()

    def _step(self) -> None:
        work = self._work
        assert work is not None
        hasFailed = True
        with saidIn(self._label), slicer.util.RenderBlocker():
            self._isInStep = True
            try:
                self._say(next(work))
                return
            except StopIteration:
                hasFailed = False
            finally:
                self._isInStep = False
        if self._work is work:  # else the last step has begun something new
            self.cancel()
        if hasFailed:
            self._onFailed()
        elif self._label.text == self._said:
            self._say("")

    def _say(self, sentence: str) -> None:
        self._said = sentence
        say(self._label, sentence)


@contextmanager
def saidIn(label: Any) -> Iterator[None]:
    """Shows what goes wrong in the block as the text of a label; nothing is raised."""
    try:
        yield
    except UserError as error:
        if error.detail:
            logging.info("NoisyLabelSeg: %s (%s)", error.sentence, error.detail)
        say(label, error.sentence)
    except Exception as error:  # a traceback is of no use in a panel; the log has it
        logging.exception("NoisyLabelSeg failed")
        say(label, _("This did not work ({reason}). The details are in the application log.").format(reason=error))


def say(label: Any, sentence: str) -> None:
    """Shows a sentence, or hides the label if it is empty.

    Sections do not ask their labels how high they are at their width, so that the last line would be cut off.
    """
    label.text = sentence
    width = label.width if label.visible else NARROWEST_PIXELS  # what is hidden has no width of its own yet
    label.minimumHeight = max(label.heightForWidth(max(width, NARROWEST_PIXELS)), 0) if sentence else 0
    label.visible = bool(sentence)


def explain(control: Any, reason: str, purpose: str) -> None:
    """Switches a control off for a reason, which its tooltip then gives, or on, and the tooltip says its purpose."""
    control.enabled = not reason
    control.toolTip = reason or purpose
