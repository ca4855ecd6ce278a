"""One button that starts work and, while it runs, cancels it; the time left stands on the button itself."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import qt
from slicer.i18n import tr as _

from NoisyLabelSegLib.jobs.job import Job, State
from NoisyLabelSegLib.jobs.reports import Cancelled, Failed, Finished, Progressed
from NoisyLabelSegLib.widget.steps import Steps, say
from NoisyLabelSegLib.widget.work import Work

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
    """Runs at most one job at a time; `bar` shows how far it is and `message` how it ended.

    What goes before and after a job, files for it and nodes from it, is done in steps.
    """

    def __init__(self, button: Any, bar: Any, message: Any) -> None:
        self._button, self._bar, self._message = button, bar, message
        self._idleText = button.text
        self._steps = Steps(message)
        self._job: Job | None = None
        self._figures = ""
        self._isLarge = False
        self._onOver: Callable[[], None] = lambda: None
        self.canceledText: str = _("Canceled; everything is as it was before.")
        self.words: dict[str, str] = {}
        """What people call stages and figures; figures that are not named here are left out, if any is."""
        bar.visible = False

    @property
    def running(self) -> bool:
        return self._steps.running or self._isJobRunning

    def run(
        self,
        work: Generator[str, None, Job],
        onFinished: Callable[[Finished], Work],
        onOver: Callable[[], None],
        *,
        large: bool,
    ) -> None:
        """Does the work that ends with a job, and starts it; what goes wrong is said in the message.

        `onFinished` is the work after the job; `onOver` is called in the end, however it ended.
        """
        self._onOver, self._isLarge = onOver, large
        self._button.text = _("Cancel")
        self._bar.maximum = 0  # moves to and fro until the first report
        self._bar.visible = True
        self._steps.run(self._starting(work, onFinished), large=large, onFailed=self._reset)

    def cancel(self) -> None:
        """Asks the job to stop; the button waits for it."""
        if self._job is not None and self._isJobRunning:
            self._job.cancel()
            self._button.text = _("Stopping...")
            self._button.enabled = False
        elif self._steps.running:
            self._steps.cancel()
            self._reset()
            say(self._message, self.canceledText)

    def close(self) -> None:
        """Ends everything now, for a panel or a scene that goes away."""
        isRunning = self.running
        self._steps.cancel()
        if self._job is not None and self._isJobRunning:
            self._job.close()
        if isRunning:
            self._reset()

    @property
    def _isJobRunning(self) -> bool:
        return self._job is not None and self._job.state is State.RUNNING

    def _starting(self, work: Generator[str, None, Job], onFinished: Callable[[Finished], Work]) -> Work:
        job = yield from work
        job.progressed.connect(self._onProgress)
        job.finished.connect(lambda news: self._onFinished(news, onFinished))
        job.failed.connect(self._onFailed)
        job.cancelled.connect(self._onCancelled)
        job.start()
        self._job = job
        say(self._message, _("Starting..."))

    def _onProgress(self, news: Progressed) -> None:
        if not self._button.enabled:  # already told to stop
            return
        self._bar.maximum = BAR_STEPS
        self._bar.value = round(news.fraction * BAR_STEPS)
        self._button.text = _("Cancel") if news.seconds_left is None else _cancelWithTime(news.seconds_left)
        if news.metrics or not news.part:  # within an epoch the figures of the last one stay
            known = {self.words.get(name, name): value for name, value in news.metrics.items() if self._isNamed(name)}
            self._figures = ", ".join(f"{name} {value:.3g}" for name, value in known.items())
        name = self.words.get(news.stage, news.stage)
        stage = _("{stage}: {done} of {total}").format(stage=name, done=news.done, total=news.total)
        say(self._message, f"{stage} ({self._figures})" if self._figures else stage)

    def _isNamed(self, figure: str) -> bool:
        return not self.words or figure in self.words

    def _onFinished(self, news: Finished, then: Callable[[Finished], Work]) -> None:
        say(self._message, "")
        self._button.enabled = False  # what is being put into the scene now is not left half done
        self._steps.run(self._ending(then(news)), large=self._isLarge, onFailed=self._reset)

    def _ending(self, work: Work) -> Work:
        yield from work
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
