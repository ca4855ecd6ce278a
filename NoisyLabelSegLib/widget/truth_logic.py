"""Estimates the truth of the open case and puts it into the scene."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from slicer.i18n import tr as _

from NoisyLabelSegLib.decisions.provenance import Provenance
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion import METHODS, Votes
from NoisyLabelSegLib.fusion.leave_one_out import FusedFrom
from NoisyLabelSegLib.progress import finished
from NoisyLabelSegLib.scene.decisions_nodes import retireDecisions, storedDecisions
from NoisyLabelSegLib.scene.nodes import Role, removeNodes
from NoisyLabelSegLib.scene.references import SCENE, Reference, keepCopy, referencesOf
from NoisyLabelSegLib.scene.results import ResultNodes
from NoisyLabelSegLib.scene.sources import readingLabels
from NoisyLabelSegLib.scene.truth_record import TruthRecord, digest_of, modified_time
from NoisyLabelSegLib.scene.views import ReviewViews
from NoisyLabelSegLib.signals import Signal
from NoisyLabelSegLib.widget.case_logic import CaseLogic
from NoisyLabelSegLib.widget.truth_words import MODEL, MODEL_WITH_LABELS, fewReaders, sourceInWords, today
from NoisyLabelSegLib.widget.work import Work, told

DEFERRED_PROBABILITY_VOXELS = 16_000_000
"""In larger cases probabilities wait until someone looks at them, so that the estimate itself stays instant."""


class TruthLogic:
    """Labels are packed once per case, so that another method or another set of annotators costs next to nothing."""

    def __init__(self, case: CaseLogic, views: ReviewViews) -> None:
        self.estimated: Signal[None] = Signal()
        self.truth: Any = None
        """The estimate (*shape) uint8, or None."""
        self.isEdited = False
        """Whether somebody has edited the estimate by hand, other than by decisions."""
        self.editor = ""
        """Who edits, if they have said so."""
        self._modified = 0
        self._seen: tuple[Any, int] = (None, 0)
        self._digested: Any = None
        self._digest = ""
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
        elif method != MODEL and not method.startswith(SCENE) and not self._case.used:
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
        node = self._node() if self._case.isReady else None
        modified = 0 if node is None else modified_time(node)
        if modified == self._modified:
            return False
        before, self.truth = self.truth, self._case.savedTruth()
        record = TruthRecord.read(node)
        self.isEdited = self.truth is not None and record.is_edited(self.truth)
        isNew = self._seen[0] is node and self._seen[1] != modified  # else it was edited before the scene was opened
        if self.isEdited and isNew:
            replace(record, edited_by=self.editor, edited_on=today()).write(node)
        self._see(node, modified)
        return before is None or self.truth is None or bool((before != self.truth).any())

    def _see(self, node: Any, modified: int) -> None:
        """Remembers as of when the truth is known; also while another module is in front."""
        self._modified, self._seen = modified, (node, modified)

    @property
    def isKept(self) -> bool:
        """Whether the truth is the work of somebody, which is not replaced without a question."""
        return self.isEdited or bool(self.record.adjudicated or self.record.signed)

    @property
    def record(self) -> TruthRecord:
        """How the truth of the open case came about."""
        return TruthRecord.read(self._node())

    def keepCopy(self) -> None:
        """Keeps a truth that is about to be replaced as a segmentation of its own, and its decisions as text."""
        case = self._case
        keepCopy(case.folder, self.truth, case.geometry, case.classes, self.provenance().sentence())
        retireDecisions(case.folder)

    def references(self) -> list[Reference]:
        """The segmentations of the scene that annotators can be compared with."""
        return referencesOf(self._case.folder, self._case.sources) if self._case.isOpen else []

    @property
    def hasKnownTruth(self) -> bool:
        return self._case.isOpen and self._case.folder.find(Role.KNOWN_TRUTH) is not None

    @property
    def reader(self) -> str:
        """The annotator whose own segmentation is the reference, empty for any other truth."""
        record = self.record
        if record.method in METHODS and len(record.annotators) == 1 and not self.isKept:
            return record.annotators[0]
        return next((each.annotator for each in self.references() if each.key == record.method), "")

    @property
    def fusedFrom(self) -> FusedFrom | None:
        """Who the truth was fused from, where it is a fusion and as it was estimated."""
        record = self.record
        areHere = bool(record.annotators) and set(record.annotators) <= set(self._case.annotators)
        isFusion = record.method in METHODS and areHere and not self.isKept
        return FusedFrom(record.annotators, {}, record.method) if isFusion else None

    @property
    def isLarge(self) -> bool:
        return self._case.isLarge

    def fuse(self, method: str) -> None:
        """Fuses the ticked annotators by a method of METHODS, or takes a segmentation of the scene."""
        finished(self.fusing(method))

    def fusing(self, method: str) -> Work:
        """fuse() in steps."""
        if method.startswith(SCENE):
            yield from self._referring(method)
            return
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
        found = fusion.remarks if len(used) == len(names) else fusion.method_remarks
        self.remarks = [*fewReaders(self._case.used), *found]
        truth = fusion.labels
        yield ""
        if method != self._method() and self.truth is not None and bool((truth == self.truth).all()):
            self.remarks.append(_("{method} gives the same estimate.").format(method=METHODS[method].title))
        yield from self.showing(truth, lambda few: fusion.probability(0, few), method=method)

    def _referring(self, key: str) -> Work:
        """Takes a segmentation of the scene as the reference, as it is now."""
        yield from self._case.reading()
        reference = next((each for each in self.references() if each.key == key), None)
        if reference is None:
            raise UserError("The segmentation is not in the scene any more", remedy="choose another reference")
        found = yield from readingLabels(reference.source, self._case.folder.image, self._case.classes)
        labels = found.labels
        masks = len(self._case.classes) == 2 and int(labels.max(initial=0)) > 1
        truth = (labels > 0).astype(labels.dtype) if masks else labels
        self.remarks = [*found.remarks, _("The reference is {name}, as drawn.").format(name=reference.title)]
        yield ""
        yield from self.showing(truth, lambda few: (truth[few] == 0).astype("float32"), method=key)

    def _method(self) -> str:
        """The method by which the truth in the scene was estimated; empty where nobody knows."""
        return self.record.method

    def described(self) -> str:
        """How the truth came about, in words for a report."""
        return self.provenance().sentence()

    def provenance(self) -> Provenance:
        """How the truth came about, as far as the scene knows."""
        record = self.record
        fused = record.method in (*METHODS, MODEL_WITH_LABELS)
        by, day = record.reference_edited_by, record.reference_edited_on
        if self.isEdited:
            by, day = record.edited_by, record.edited_on
        found = Provenance(
            source=sourceInWords(record.method),
            method=record.method.split(":", 2)[-1],
            annotators=record.annotators if fused else (),
            edited=self.isEdited or bool(day),
            edited_by=(by,) if by else (),
            edited_on=day,
            signed_off_by=record.signed_by if self.isSigned else "",
            signed_off_on=record.signed_on if self.isSigned else "",
        )
        stored = storedDecisions(self._case.folder) if record.adjudicated else None
        return found if stored is None else found.with_decisions(stored.decisions, self._case.folder.case, stored.count)

    @property
    def isSigned(self) -> bool:
        """Whether the truth is as it was when somebody signed it off."""
        signed = self.record.signed
        if not signed or self.truth is None:
            return False
        if self._digested is not self.truth:
            self._digested, self._digest = self.truth, digest_of(self.truth)
        return signed == self._digest

    def beginDecisions(self) -> None:
        """Remembers that the reference of the decisions to come was edited by hand."""
        record = self.record
        by, day = record.edited_by, record.edited_on or today()
        replace(record, reference_edited_by=by, reference_edited_on=day).write(self._node())

    def showDecided(self, labels: Any, *, signed: tuple[str, str] = ("", "")) -> Work:
        """Puts the truth that follows from decisions into the scene, in steps; `signed` is by whom and when."""
        yield ""
        digest = digest_of(labels)
        yield ""
        node = self._nodes().truth(labels)
        by, day = signed
        record = replace(self.record, adjudicated=digest, edited_by="", edited_on="", signed="")
        if by:
            record = replace(record, signed=digest, signed_by=by, signed_on=day)
        record.write(node)
        self._see(node, modified_time(node))
        self.isEdited, self.truth = False, labels
        self.estimated.emit(None)

    def showing(self, truth: Any, background: Callable[[slice], Any], *, method: str = MODEL) -> Work:
        """Puts an estimate (*shape) uint8 into the scene; `background` makes slices of the probability of class 0."""
        node = self._nodes().truth(truth)
        TruthRecord(method, digest_of(truth), self._case.used).write(node)
        self._see(node, modified_time(node))
        self.isEdited = False
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

    def _node(self) -> Any:
        return self._case.folder.find(Role.TRUTH) if self._case.isOpen else None

    def _nodes(self) -> ResultNodes:
        return ResultNodes(self._case.folder, self._case.geometry, self._case.classes)

    def _onCaseChanged(self, _news: None) -> None:
        self._votes, self._background, self.remarks = None, None, []
        self.truth, self.isEdited, self._modified = None, False, 0
        self.takeEdits()
        self.estimated.emit(None)
