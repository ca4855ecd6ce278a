"""Finds the disagreements of the open case: at once, or for a large case in another process."""

from __future__ import annotations

from collections.abc import Callable

from slicer.i18n import tr as _

from NoisyLabelSegLib.decisions import find_disagreements, labels_digest
from NoisyLabelSegLib.decisions.handover import read_disagreements
from NoisyLabelSegLib.jobs.job import Job
from NoisyLabelSegLib.jobs.pollers import Poller
from NoisyLabelSegLib.jobs.reports import Failed, Finished
from NoisyLabelSegLib.review.handover import write_question
from NoisyLabelSegLib.verbs import DisagreementsSettings
from NoisyLabelSegLib.widget.adjudication_logic import AdjudicationLogic, Basis
from NoisyLabelSegLib.widget.case_logic import CaseLogic
from NoisyLabelSegLib.widget.handed_over import HandedOver
from NoisyLabelSegLib.widget.work import Runner, Work


class DisagreementSearch:
    """The newest search counts: what is still under way when another begins is stopped and forgotten."""

    def __init__(
        self,
        case: CaseLogic,
        logic: AdjudicationLogic,
        runner: Runner,
        makePoller: Callable[[], Poller],
        say: Callable[[str], None],
    ) -> None:
        self._case, self._logic, self._runner, self._makePoller, self._say = case, logic, runner, makePoller, say
        self._newest: HandedOver | None = None

    @property
    def running(self) -> bool:
        return self._newest is not None

    def start(self) -> None:
        """Looks for the disagreements and begins a session with them."""
        self.cancel()
        if self._case.isLarge:
            search = self._newest = HandedOver("disagreements")
            self._runner.run(self._asking(search), large=True, onFailed=self.cancel)
        else:
            self._runner.run(self._here(), large=False)

    def cancel(self) -> None:
        """Stops what is under way without waiting for it."""
        self._runner.cancel()
        search, self._newest = self._newest, None
        if search is not None:
            search.cancel()

    def close(self) -> None:
        """Stops what is under way and waits: the scene goes away."""
        self._runner.cancel()
        search, self._newest = self._newest, None
        if search is not None:
            search.close()

    def _here(self) -> Work:
        yield _("Looking for disagreements...")
        basis = self._logic.basis()
        share = self._logic.agreedShare
        regions = find_disagreements(basis.labels, basis.reference, self._case.geometry, agreed_share=share)
        yield from self._logic.taking(basis, regions, {}, labels_digest(basis.labels))

    def _asking(self, search: HandedOver) -> Work:
        saying = _("Looking for disagreements...")
        yield saying
        yield from self._case.reading()
        basis = self._logic.basis()
        yield saying
        writing = write_question(
            search.question,
            basis.labels,
            basis.reference,
            self._case.geometry,
            classes=self._case.classes,
            case=self._case.folder.case,
        )
        for _step in writing:
            yield saying
        settings = DisagreementsSettings(
            case=str(search.question), out=str(search.answer), agreed_share=self._logic.agreedShare
        )
        job = search.job = Job(settings, poller=self._makePoller())
        job.finished.connect(lambda news: self._onFinished(search, basis, news))
        job.failed.connect(lambda news: self._onFailed(search, news))
        job.cancelled.connect(lambda _news: search.forget())
        job.start()
        self._say(saying)

    def _onFinished(self, search: HandedOver, basis: Basis, _news: Finished) -> None:
        if search is self._newest:
            self._runner.run(self._answering(search, basis), large=True, onFailed=self.cancel)
        else:
            search.forget()

    def _answering(self, search: HandedOver, basis: Basis) -> Work:
        yield _("Looking for disagreements...")
        found = read_disagreements(search.answer, basis.labels, self._case.geometry)
        self._newest = None
        search.forget()
        yield from self._logic.taking(basis, *found)
        self._say("")

    def _onFailed(self, search: HandedOver, news: Failed) -> None:
        search.forget()
        if search is self._newest:
            self._newest = None
            self._say(news.sentence)
