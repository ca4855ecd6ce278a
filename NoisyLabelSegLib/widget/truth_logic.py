"""Estimates the truth of the open case and puts it into the scene."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from slicer.i18n import tr as _

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion import METHODS, Votes
from NoisyLabelSegLib.scene.removal import removeNodes
from NoisyLabelSegLib.scene.results import ResultNodes
from NoisyLabelSegLib.scene.roles import Role
from NoisyLabelSegLib.scene.views import ReviewViews
from NoisyLabelSegLib.signals import Signal
from NoisyLabelSegLib.widget.case_logic import CaseLogic

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
        self._probabilities: Callable[[], Any] | None = None
        self._veilShown = False
        case.changed.connect(self._onCaseChanged)

    def problem(self, method: str) -> str:
        """Why there can be no estimate now, as a sentence; empty when there can."""
        problem: str = ""
        if not self._case.isOpen:
            problem = _("Choose a volume and add annotators, or open the demo case.")
        elif method != MODEL and not self._case.used:
            problem = _("Tick at least one annotator.")
        return problem

    def forget(self) -> None:
        """Reads the labels anew for the next estimate: someone may have edited the outlines."""
        self._case.forget()
        self._votes = None

    def fuse(self, method: str) -> None:
        """Fuses the ticked annotators by a method of METHODS."""
        if method not in METHODS:
            raise UserError(f"There is no method {method!r}", remedy=f"choose one of {', '.join(METHODS)}")
        names = self._case.annotators
        if self._votes is None:
            labels = self._case.labels()
            self._votes = Votes([labels[name] for name in names], classes=len(self._case.classes), names=names)
        used = [index for index, name in enumerate(names) if name in self._case.used]
        fusion = self._votes.fuse(method, annotators=used)
        # A remark about someone who had no say is no news when the tick was just taken away.
        self.remarks = list(fusion.remarks) if len(used) == len(names) else []
        self.show(fusion.labels, lambda: fusion.probabilities)

    def show(self, truth: Any, probabilities: Callable[[], Any]) -> None:
        """Puts an estimate (*shape) uint8 into the scene; `probabilities` makes its probabilities (L, *shape)."""
        self._nodes().truth(truth)
        self.truth, self._probabilities = truth, probabilities
        if truth.size <= LARGE_VOXELS or self._veilShown:
            self._addProbability()
        else:
            removeNodes(self._case.folder.scene, self._case.folder.nodes(Role.PROBABILITY))
        if self._veilShown:
            self._views.showVeil(self._case.folder)
        self.estimated.emit(None)

    def showVeil(self, *, visible: bool) -> None:
        """Lays the estimate over the image, the more opaque the surer it is."""
        self._veilShown = visible
        if visible:
            self._addProbability()
        self._views.showVeil(self._case.folder, visible=visible)

    def _addProbability(self) -> None:
        if self._probabilities is not None:
            self._nodes().probability(self._probabilities())
            self._probabilities = None

    def _nodes(self) -> ResultNodes:
        return ResultNodes(self._case.folder, self._case.geometry, self._case.classes)

    def _onCaseChanged(self, _news: None) -> None:
        self._votes, self._probabilities, self.remarks = None, None, []
        self.truth = self._case.savedTruth()
        self.estimated.emit(None)
