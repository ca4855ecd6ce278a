"""Reviews a large case in another process, which takes seconds; the window stays alive meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

from slicer.i18n import tr as _

from NoisyLabelSegLib.jobs.pollers import Poller
from NoisyLabelSegLib.review.compare.case import CaseReview
from NoisyLabelSegLib.review.handover import read_answer
from NoisyLabelSegLib.verbs import CompareSettings
from NoisyLabelSegLib.widget.handed_over import HandedOver, NewestInBackground
from NoisyLabelSegLib.widget.work import Runner, Work


class Reviewable(Protocol):
    """Asks for a review, and puts it where it belongs."""

    def question(self, folder: Path) -> Iterator[None]:
        """Writes what is to be reviewed, step by step."""

    def taking(self, review: CaseReview) -> Work:
        """Takes the review, step by step."""


class BackgroundReview(NewestInBackground):
    """Writes the case for the worker, lets it work, and puts what it finds into the scene."""

    def __init__(
        self,
        logic: Reviewable,
        runner: Runner,
        makePoller: Callable[[], Poller],
        say: Callable[[str], None],
    ) -> None:
        super().__init__("review", runner, makePoller, say)
        self._logic = logic

    def start(self) -> None:
        self.ask(self._asking)

    def _asking(self, review: HandedOver) -> Work:
        yield _("Comparing everybody with the truth...")
        for _step in self._logic.question(review.question):
            yield _("Comparing everybody with the truth...")
        self.handOver(
            review,
            CompareSettings(case=str(review.question), out=str(review.answer)),
            lambda: self._logic.taking(read_answer(review.answer)),
            progress=_("Comparing everybody with the truth: {done} of {total}..."),
        )
