"""One button that starts work and, while it runs, cancels it; the time left stands on the button itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import qt
from slicer.i18n import tr as _

from NoisyLabelSegLib.jobs.job import Job, State
from NoisyLabelSegLib.jobs.reports import Cancelled, Failed, Finished, Progressed
from NoisyLabelSegLib.widget.messages import say

POLL_MILLISECONDS = 100
BAR_STEPS = 1000


class TimerPoller:
    """Ticks on Qt's main thread, where widgets and the scene may be touched."""

    def __init__(self) -> None:
        self._timer = qt.QTimer()
        self._timer.interval = POLL_MILLISECONDS

    def start(self, tick: Callable[[], None]) -> None:
        self._timer.timeout.connect(tick)
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()


class JobButton:
    """Runs at most one job at a time; `bar` shows how far it is and `message` how it ended."""

    def __init__(self, button: Any, bar: Any, message: Any) -> None:
        self._button, self._bar, self._message = button, bar, message
        self._idleText = button.text
        self._job: Job | None = None
        self._figures = ""
        self._onOver: Callable[[], None] = lambda: None
        self.canceledText: str = _("Canceled; everything is as it was before.")
        bar.visible = False

    @property
    def running(self) -> bool:
        return self._job is not None and self._job.state is State.RUNNING

    def run(self, job: Job, onFinished: Callable[[Finished], None], onOver: Callable[[], None]) -> None:
        """Starts the job; settings that cannot work raise a UserError, everything later is said in the message.

        `onOver` is called in the end, however it ended.
        """
        self._job, self._onOver = job, onOver
        job.progressed.connect(self._onProgress)
        job.finished.connect(lambda news: self._onFinished(news, onFinished))
        job.failed.connect(self._onFailed)
        job.cancelled.connect(self._onCancelled)
        job.start()
        self._button.text = _("Cancel")
        self._bar.maximum = 0  # moves to and fro until the first report
        self._bar.visible = True
        say(self._message, _("Starting..."))

    def cancel(self) -> None:
        """Asks the job to stop; the button waits for it."""
        if self._job is not None and self.running:
            self._job.cancel()
            self._button.text = _("Stopping...")
            self._button.enabled = False

    def close(self) -> None:
        """Ends the job now, for a panel or a scene that goes away."""
        if self._job is not None and self.running:
            self._job.close()
            self._reset()

    def _onProgress(self, news: Progressed) -> None:
        if not self._button.enabled:  # already told to stop
            return
        self._bar.maximum = BAR_STEPS
        self._bar.value = round(news.fraction * BAR_STEPS)
        self._button.text = _("Cancel") if news.seconds_left is None else _cancelWithTime(news.seconds_left)
        if news.metrics or not news.part:  # within an epoch the figures of the last one stay
            self._figures = ", ".join(f"{name} {value:.3g}" for name, value in news.metrics.items())
        stage = _("{stage}: {done} of {total}").format(stage=news.stage, done=news.done, total=news.total)
        say(self._message, f"{stage} ({self._figures})" if self._figures else stage)

    def _onFinished(self, news: Finished, then: Callable[[Finished], None]) -> None:
        say(self._message, "")
        then(news)
        self._reset()

    def _onFailed(self, news: Failed) -> None:
        self._reset()
        say(self._message, news.sentence)

    def _onCancelled(self, _news: Cancelled) -> None:
        self._reset()
        say(self._message, self.canceledText)

    def _reset(self) -> None:
        self._button.text = self._idleText
        self._button.enabled = True
        self._bar.visible = False
        self._onOver()


def _cancelWithTime(seconds: float) -> str:
    text: str = _("Cancel ({seconds} s left)") if seconds < 90 else _("Cancel ({minutes} min left)")
    return text.format(seconds=round(seconds), minutes=round(seconds / 60))
