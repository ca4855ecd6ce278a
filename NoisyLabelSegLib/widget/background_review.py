"""Reviews a large case in another process, which takes seconds; the window stays alive meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

from slicer.i18n import tr as _

from NoisyLabelSegLib.jobs.job import Job
from NoisyLabelSegLib.jobs.pollers import Poller
from NoisyLabelSegLib.jobs.reports import Cancelled, Failed, Finished, Progressed
from NoisyLabelSegLib.review.compare.case import CaseReview
from NoisyLabelSegLib.review.handover import read_answer
from NoisyLabelSegLib.verbs import CompareSettings
from NoisyLabelSegLib.widget.handed_over import HandedOver
from NoisyLabelSegLib.widget.work import Runner, Work


class Reviewable(Protocol):
    """Asks for a review, and puts it where it belongs."""

    def question(self, folder: Path) -> Iterator[None]:
        """Writes what is to be reviewed, step by step."""

    def taking(self, review: CaseReview) -> Work:
        """Takes the review, step by step."""


class BackgroundReview:
    """The newest review counts: what is still under way when another begins is stopped and forgotten."""

    def __init__(
        self,
        logic: Reviewable,
        runner: Runner,
        makePoller: Callable[[], Poller],
        say: Callable[[str], None],
    ) -> None:
        self._logic, self._runner, self._makePoller, self._say = logic, runner, makePoller, say
        self._newest: HandedOver | None = None

    @property
    def running(self) -> bool:
        return self._newest is not None

    def start(self) -> None:
        """Writes the case for the worker, lets it work, and puts what it finds into the scene."""
        self.cancel()
        review = self._newest = HandedOver("review")
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

    def _asking(self, review: HandedOver) -> Work:
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

    def _onProgress(self, review: HandedOver, news: Progressed) -> None:
        if review is self._newest:
            text = _("Comparing everybody with the truth: {done} of {total}...")
            self._say(text.format(done=news.done, total=news.total))

    def _onFinished(self, review: HandedOver, _news: Finished) -> None:
        if review is self._newest:
            self._runner.run(self._answering(review), large=True, onFailed=self.cancel)
        else:
            review.forget()

    def _answering(self, review: HandedOver) -> Work:
        yield from self._logic.taking(read_answer(review.answer))
        self._newest = None
        review.forget()
        self._say("")

    def _onFailed(self, review: HandedOver, news: Failed) -> None:
        review.forget()
        if review is self._newest:
            self._newest = None
            self._say(news.sentence)

    def _onCancelled(self, review: HandedOver, _news: Cancelled) -> None:
        review.forget()
