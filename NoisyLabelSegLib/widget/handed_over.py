"""Work that another process does for the panel, and the files between the two."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from NoisyLabelSegLib.jobs.job import Job
from NoisyLabelSegLib.jobs.pollers import Poller
from NoisyLabelSegLib.jobs.reports import Failed, Progressed
from NoisyLabelSegLib.verbs.settings import VerbSettings
from NoisyLabelSegLib.widget.work import Runner, Work


class HandedOver:
    """The job, once it is started, and the temporary folder that its question and answer are in."""

    def __init__(self, what: str) -> None:
        self.job: Job | None = None
        self._folder = tempfile.TemporaryDirectory(prefix=f"noisylabelseg-{what}-", ignore_cleanup_errors=True)

    @property
    def question(self) -> Path:
        return Path(self._folder.name) / "question"

    @property
    def answer(self) -> Path:
        return Path(self._folder.name) / "answer"

    def cancel(self) -> None:
        """The folder goes when the worker has stopped."""
        if self.job is not None and self.job.is_running():
            self.job.cancel()
        else:
            self.forget()

    def close(self) -> None:
        if self.job is not None and self.job.is_running():
            self.job.close()
        self.forget()

    def forget(self) -> None:
        self._folder.cleanup()


class NewestInBackground:
    """Asks another process again and again, about `what`; only the newest question counts.

    What is still under way when another question is asked is stopped and forgotten.
    """

    def __init__(self, what: str, runner: Runner, makePoller: Callable[[], Poller], say: Callable[[str], None]) -> None:
        self._what, self._runner, self._makePoller, self._say = what, runner, makePoller, say
        self._newest: HandedOver | None = None

    @property
    def running(self) -> bool:
        return self._newest is not None

    def ask(self, asking: Callable[[HandedOver], Work]) -> None:
        """Lets `asking` write the question and hand it over, step by step."""
        self.cancel()
        handed = self._newest = HandedOver(self._what)
        self._runner.run(asking(handed), large=True, onFailed=self.cancel)

    def handOver(
        self,
        handed: HandedOver,
        settings: VerbSettings,
        answering: Callable[[], Work],
        *,
        progress: str = "",
    ) -> None:
        """Starts the worker; `answering` takes its answer. `progress` says how far it is, with {done} and {total}."""
        job = handed.job = Job(settings, poller=self._makePoller())
        if progress:
            job.progressed.connect(lambda news: self._onProgress(handed, news, progress))
        job.finished.connect(lambda _news: self._onFinished(handed, answering))
        job.failed.connect(lambda news: self._onFailed(handed, news))
        job.cancelled.connect(lambda _news: handed.forget())
        job.start()

    def cancel(self) -> None:
        """Stops what is under way without waiting for it."""
        self._runner.cancel()
        handed, self._newest = self._newest, None
        if handed is not None:
            handed.cancel()

    def close(self) -> None:
        """Stops what is under way and waits: the scene goes away."""
        self._runner.cancel()
        handed, self._newest = self._newest, None
        if handed is not None:
            handed.close()

    def _onProgress(self, handed: HandedOver, news: Progressed, sentence: str) -> None:
        if handed is self._newest:
            self._say(sentence.format(done=news.done, total=news.total))

    def _onFinished(self, handed: HandedOver, answering: Callable[[], Work]) -> None:
        if handed is self._newest:
            self._runner.run(self._answering(handed, answering), large=True, onFailed=self.cancel)
        else:
            handed.forget()

    def _answering(self, handed: HandedOver, answering: Callable[[], Work]) -> Work:
        yield from answering()
        self._newest = None
        handed.forget()
        self._say("")

    def _onFailed(self, handed: HandedOver, news: Failed) -> None:
        handed.forget()
        if handed is self._newest:
            self._newest = None
            self._say(news.sentence)
