"""Estimates the truth of the open case and puts it into the scene."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from slicer.i18n import tr as _

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion import METHODS, Votes
from NoisyLabelSegLib.progress import finished
from NoisyLabelSegLib.scene.removal import removeNodes
from NoisyLabelSegLib.scene.results import ResultNodes
from NoisyLabelSegLib.scene.roles import Role
from NoisyLabelSegLib.scene.views import ReviewViews
from NoisyLabelSegLib.signals import Signal
from NoisyLabelSegLib.widget.case_logic import CaseLogic
from NoisyLabelSegLib.widget.work import Work, told

MODEL = "model"
"""The method that is not a fusion: a trained network, run by a job."""

LARGE_VOXELS = 16_000_000
"""In larger cases probabilities wait until someone looks at them, so that the estimate itself stays instant."""


class TruthLogic:
    """Labels are packed once per case, so that another method or another set of annotators costs next to nothing."""

    def __init__(self, case: CaseLogic, views: ReviewViews) -> None:
        self.estimated: Signal[None] = Signal()
        self.truth: Any = None
        """The estimate (*shape) uint8, or None."""
        self.remarks: list[str] = []
        self._case, self._views = case, views
        self._votes: Votes | None = None
        self._background: Callable[[slice], Any] | None = None
        self._veilShown = False
        case.changed.connect(self._onCaseChanged)

    def problem(self, method: str) -> str:
        """Why there can be no estimate now, as a sentence; empty when there can."""
        problem: str = ""
        if not self._case.isOpen:
            problem = _("Choose a volume and add annotators, or open the demo case.")
        elif not self._case.isReady:
            problem = _("The outlines are still being read.")
        elif method != MODEL and not self._case.used:
            problem = _("Tick at least one annotator.")
        return problem

    def forget(self) -> None:
        """Reads the labels anew for the next estimate: someone may have edited the outlines."""
        self._case.forget()
        self._votes = None

    @property
    def isLarge(self) -> bool:
        return self._case.isLarge

    def fuse(self, method: str) -> None:
        """Fuses the ticked annotators by a method of METHODS."""
        finished(self.fusing(method))

    def fusing(self, method: str) -> Work:
        """fuse() in steps."""
        if method not in METHODS:
            raise UserError(f"There is no method {method!r}", remedy=f"choose one of {', '.join(METHODS)}")
        yield from self._case.reading()
        names, labels = self._case.annotators, self._case.labels()
        yield _("Fusing...")
        if self._votes is None:
            self._votes = Votes([labels[name] for name in names], classes=len(self._case.classes), names=names)
        used = [index for index, name in enumerate(names) if name in self._case.used]
        fusion = self._votes.fuse(method, annotators=used)
        # A remark about someone who had no say is no news when the tick was just taken away.
        self.remarks = list(fusion.remarks) if len(used) == len(names) else []
        truth = fusion.labels
        yield ""
        yield from self.showing(truth, lambda few: fusion.probability(0, few))

    def showing(self, truth: Any, background: Callable[[slice], Any]) -> Work:
        """Puts an estimate (*shape) uint8 into the scene; `background` makes slices of the probability of class 0."""
        self._nodes().truth(truth)
        self._background = background
        if truth.size <= LARGE_VOXELS or self._veilShown:
            yield from self._addingProbability()
        else:
            removeNodes(self._case.folder.scene, self._case.folder.nodes(Role.PROBABILITY))
        if self._veilShown:
            yield from self._showingVeil()
        self.truth = truth  # only now: a review must not begin before everything is in the scene
        self.estimated.emit(None)

    def showingVeil(self, *, visible: bool) -> Work:
        """Lays the estimate over the image, the more opaque the surer it is, or takes it away."""
        self._veilShown = visible
        if visible:
            yield from self._addingProbability()
            yield from self._showingVeil()
        else:
            self._views.showVeil(self._case.folder, visible=False)

    def _showingVeil(self) -> Work:
        yield from told(_("Showing how sure the estimate is..."), self._views.showingVeil(self._case.folder))

    def _addingProbability(self) -> Work:
        if self._background is not None:
            yield _("Working out how sure the estimate is...")
            work = self._nodes().showingProbability(self._background)
            yield from told(_("Working out how sure the estimate is..."), work)
            self._background = None

    def _nodes(self) -> ResultNodes:
        return ResultNodes(self._case.folder, self._case.geometry, self._case.classes)

    def _onCaseChanged(self, _news: None) -> None:
        self._votes, self._background, self.remarks = None, None, []
        self.truth = self._case.savedTruth()
        self.estimated.emit(None)
