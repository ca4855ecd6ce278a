"""Finds the disagreements of the open case: at once, or for a large case in another process."""

from __future__ import annotations

from collections.abc import Callable

from slicer.i18n import tr as _

from NoisyLabelSegLib.decisions import find_disagreements, labels_digest
from NoisyLabelSegLib.decisions.handover import read_disagreements
from NoisyLabelSegLib.jobs.pollers import Poller
from NoisyLabelSegLib.review.handover import write_question
from NoisyLabelSegLib.verbs import DisagreementsSettings
from NoisyLabelSegLib.widget.adjudication_logic import AdjudicationLogic, Basis
from NoisyLabelSegLib.widget.case_logic import CaseLogic
from NoisyLabelSegLib.widget.handed_over import HandedOver, NewestInBackground
from NoisyLabelSegLib.widget.work import Runner, Work


class DisagreementSearch(NewestInBackground):
    """Begins a session of the logic with the disagreements that it finds."""

    def __init__(
        self,
        case: CaseLogic,
        logic: AdjudicationLogic,
        runner: Runner,
        makePoller: Callable[[], Poller],
        say: Callable[[str], None],
    ) -> None:
        super().__init__("disagreements", runner, makePoller, say)
        self._case, self._logic = case, logic

    def start(self) -> None:
        """Looks for the disagreements."""
        if self._case.isLarge:
            self.ask(self._asking)
        else:
            self.cancel()
            self._runner.run(self._here(), large=False)

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
        self.handOver(search, settings, lambda: self._taking(search, basis))
        self._say(saying)

    def _taking(self, search: HandedOver, basis: Basis) -> Work:
        yield _("Looking for disagreements...")
        yield from self._logic.taking(basis, *read_disagreements(search.answer, basis.labels, self._case.geometry))
