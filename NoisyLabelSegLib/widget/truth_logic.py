"""Estimates the truth of the open case and puts it into the scene."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from slicer.i18n import tr as _

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion import METHODS, Votes
from NoisyLabelSegLib.progress import finished
from NoisyLabelSegLib.scene.nodes import PREFIX, Role, removeNodes
from NoisyLabelSegLib.scene.results import ResultNodes
from NoisyLabelSegLib.scene.segments import BINARY_LABELMAP
from NoisyLabelSegLib.scene.views import ReviewViews
from NoisyLabelSegLib.signals import Signal
from NoisyLabelSegLib.widget.case_logic import CaseLogic
from NoisyLabelSegLib.widget.work import Work, told

MODEL = "model"
"""The method that is not a fusion: a trained network, run by a job."""
MODEL_WITH_LABELS = "model-with-labels"
"""The same, its answer combined with the labels of the ticked annotators."""
NETWORKS = (MODEL, MODEL_WITH_LABELS)

METHOD = PREFIX + "method"
"""The attribute of the truth's node that names the method it was estimated by."""
ESTIMATE = PREFIX + "estimate"
"""The attribute of the truth's node that tells an estimate from one that was edited: a digest of its labels."""

DEFERRED_PROBABILITY_VOXELS = 16_000_000
"""In larger cases probabilities wait until someone looks at them, so that the estimate itself stays instant."""


class TruthLogic:
    """Labels are packed once per case, so that another method or another set of annotators costs next to nothing."""

    def __init__(self, case: CaseLogic, views: ReviewViews) -> None:
        self.estimated: Signal[None] = Signal()
        self.truth: Any = None
        """The estimate (*shape) uint8, or None."""
        self.isEdited = False
        """Whether somebody has edited the estimate by hand."""
        self._modified = 0
        self.remarks: list[str] = []
        self._case, self._views = case, views
        self._votes: Votes | None = None
        self._background: Callable[[slice], Any] | None = None
        self._confidenceShown = False
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
        elif method != MODEL and self._case.questions:
            problem = _("Say under Classes first which labels mean the same.")
        return problem

    def forget(self) -> None:
        """Reads the labels anew for the next estimate: someone may have edited the outlines."""
        self._case.forget()
        self._votes = None

    def takeEdits(self) -> bool:
        """Reads the truth from the scene again if somebody has edited it there; says whether it is another one now."""
        node = self._case.folder.find(Role.TRUTH) if self._case.isOpen and self._case.isReady else None
        modified = 0 if node is None else _modifiedTime(node)
        if modified == self._modified:
            return False
        before, self.truth = self.truth, self._case.savedTruth()
        self._modified = modified
        self.isEdited = node is not None and node.GetAttribute(ESTIMATE) not in (None, _digest(self.truth))
        return before is None or self.truth is None or bool((before != self.truth).any())

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
        if method != self._method() and self.truth is not None and bool((truth == self.truth).all()):
            self.remarks.append(_("{method} gives the same estimate.").format(method=METHODS[method].title))
        yield from self.showing(truth, lambda few: fusion.probability(0, few), method=method)

    def _method(self) -> str:
        """The method by which the truth in the scene was estimated; empty where nobody knows."""
        node = self._case.folder.find(Role.TRUTH)
        return "" if node is None else node.GetAttribute(METHOD) or ""

    def described(self) -> str:
        """Where the truth comes from, in words for a report."""
        method = self._method()
        if method in METHODS:
            words = _("{method} of the annotators' labels").format(method=METHODS[method].title)
        elif method == MODEL:
            words = _("the estimate of a trained model")
        elif method == MODEL_WITH_LABELS:
            words = _("a trained model together with the annotators' labels")
        else:
            words = _("the truth in the scene")
        return str(_("{truth}, edited by hand").format(truth=words) if self.isEdited else words)

    def showing(self, truth: Any, background: Callable[[slice], Any], *, method: str = MODEL) -> Work:
        """Puts an estimate (*shape) uint8 into the scene; `background` makes slices of the probability of class 0."""
        node = self._nodes().truth(truth)
        node.SetAttribute(ESTIMATE, _digest(truth))
        node.SetAttribute(METHOD, method)
        self._modified, self.isEdited = _modifiedTime(node), False
        self._background = background
        if truth.size <= DEFERRED_PROBABILITY_VOXELS or self._confidenceShown:
            yield from self._addingProbability()
        else:
            removeNodes(self._case.folder.scene, self._case.folder.nodes(Role.PROBABILITY))
        if self._confidenceShown:
            yield from self._showingConfidence()
        self.truth = truth  # only now: a review must not begin before everything is in the scene
        self.estimated.emit(None)

    def showingConfidence(self, *, visible: bool) -> Work:
        """Lays the estimate over the image, the more opaque the surer it is, or takes it away."""
        self._confidenceShown = visible
        if visible:
            yield from self._addingProbability()
            yield from self._showingConfidence()
        else:
            self._views.showConfidence(self._case.folder, visible=False)

    def _showingConfidence(self) -> Work:
        yield from told(_("Showing how sure the estimate is..."), self._views.showingConfidence(self._case.folder))

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
        self.truth, self.isEdited, self._modified = None, False, 0
        self.takeEdits()
        self.estimated.emit(None)


def _modifiedTime(node: Any) -> int:
    """Grows with every change of the voxels of a segmentation node; 0 where there are none."""
    segmentation = node.GetSegmentation()
    images = [segmentation.GetSegment(id).GetRepresentation(BINARY_LABELMAP) for id in segmentation.GetSegmentIDs()]
    return max((int(image.GetMTime()) for image in images if image is not None), default=0)


def _digest(truth: Any) -> str:
    return hashlib.blake2b(truth.tobytes(), digest_size=16).hexdigest()
