"""Reviews a large case in another process, which takes seconds; the window stays alive meanwhile."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from slicer.i18n import tr as _

from NoisyLabelSegLib.jobs.job import Job
from NoisyLabelSegLib.jobs.pollers import Poller
from NoisyLabelSegLib.jobs.reports import Cancelled, Failed, Finished, Progressed
from NoisyLabelSegLib.review.handover import read_answer
from NoisyLabelSegLib.verbs import CompareSettings
from NoisyLabelSegLib.widget.annotators_logic import AnnotatorsLogic
from NoisyLabelSegLib.widget.work import Runner, Work


class BackgroundReview:
    """The newest review counts: what is still under way when another begins is stopped and forgotten."""

    def __init__(
        self,
        logic: AnnotatorsLogic,
        runner: Runner,
        makePoller: Callable[[], Poller],
        say: Callable[[str], None],
    ) -> None:
        self._logic, self._runner, self._makePoller, self._say = logic, runner, makePoller, say
        self._newest: _Review | None = None

    @property
    def running(self) -> bool:
        return self._newest is not None

    def start(self) -> None:
        """Writes the case for the worker, lets it work, and puts what it finds into the scene."""
        self.cancel()
        review = self._newest = _Review()
        self._runner.run(self._asking(review), large=True, onFailed=self.cancel)

    def cancel(self) -> None:
        """Stops what is under way without waiting for it."""
        self._runner.cancel()
        review, self._newest = self._newest, None
        if review is not None:
            review.cancel()

    def close(self) -> None:
        """Stops what is under way and waits: the scene goes away."""
        self._runner.cancel()
        review, self._newest = self._newest, None
        if review is not None:
            review.close()

    def _asking(self, review: _Review) -> Work:
        yield _("Comparing everybody with the truth...")
        for _step in self._logic.question(review.question):
            yield _("Comparing everybody with the truth...")
        job = review.job = Job(
            CompareSettings(case=str(review.question), out=str(review.answer)), poller=self._makePoller()
        )
        job.progressed.connect(lambda news: self._onProgress(review, news))
        job.finished.connect(lambda news: self._onFinished(review, news))
        job.failed.connect(lambda news: self._onFailed(review, news))
        job.cancelled.connect(lambda news: self._onCancelled(review, news))
        job.start()

    def _onProgress(self, review: _Review, news: Progressed) -> None:
        if review is self._newest:
            text = _("Comparing everybody with the truth: {done} of {total}...")
            self._say(text.format(done=news.done, total=news.total))

    def _onFinished(self, review: _Review, _news: Finished) -> None:
        if review is self._newest:
            self._runner.run(self._answering(review), large=True, onFailed=self.cancel)
        else:
            review.forget()

    def _answering(self, review: _Review) -> Work:
        yield from self._logic.taking(read_answer(review.answer))
        self._newest = None
        review.forget()
        self._say("")

    def _onFailed(self, review: _Review, news: Failed) -> None:
        review.forget()
        if review is self._newest:
            self._newest = None
            self._say(news.sentence)

    def _onCancelled(self, review: _Review, _news: Cancelled) -> None:
        review.forget()


class _Review:
    """One review under way: the job, and the temporary folder that its question and answer are in."""

    def __init__(self) -> None:
        self.job: Job | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="noisylabelseg-review-", ignore_cleanup_errors=True)

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
