"""Decides about the disagreements of the open case; the truth follows, and the scene keeps every decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import slicer
from slicer.i18n import tr as _

from NoisyLabelSegLib.cases import read_labels, write_labels
from NoisyLabelSegLib.cases.estimates import EstimateWriter
from NoisyLabelSegLib.decisions import Decisions, Disagreement, Disagreements, labels_digest
from NoisyLabelSegLib.decisions.provenance import Provenance
from NoisyLabelSegLib.decisions.record import EDITED
from NoisyLabelSegLib.decisions.session import Session, Stamp
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.scene.colors import showLegend
from NoisyLabelSegLib.scene.decisions_nodes import (
    StoredDecisions,
    hideDisagreement,
    showDisagreement,
    storedDecisions,
    storeDecisions,
)
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.scene.results import ResultNodes
from NoisyLabelSegLib.scene.sources import AnnotatorSource, labelsOnGrid
from NoisyLabelSegLib.scene.views import ReviewViews
from NoisyLabelSegLib.signals import Signal
from NoisyLabelSegLib.widget.adjudication_words import ShownDecisions
from NoisyLabelSegLib.widget.case_logic import CaseLogic
from NoisyLabelSegLib.widget.truth_logic import TruthLogic
from NoisyLabelSegLib.widget.truth_words import today
from NoisyLabelSegLib.widget.work import Work


@dataclass(frozen=True)
class Basis:
    """What disagreements are looked for in: the labels of these annotators, and the reference (*shape)."""

    labels: Mapping[str, Any]
    reference: Any
    stored: StoredDecisions | None


class AdjudicationLogic:
    """`changed` follows another list, a decision, and the end of a session: another case, or another estimate."""

    def __init__(self, case: CaseLogic, truth: TruthLogic, views: ReviewViews) -> None:
        self.changed: Signal[None] = Signal()
        self.session: Session | None = None
        self.agreedShare: float | None = None
        self.namesHidden = False
        self.adjudicator = ""
        self._case, self._truth, self._views = case, truth, views
        self._isDeciding = False
        self._isReferenceEdited = False
        case.changed.connect(lambda _news: self.leave())
        truth.estimated.connect(lambda _news: self._onEstimated())

    def problem(self) -> str:
        """Why there is nothing to decide about now, as a sentence; empty when there may be something."""
        problem: str = ""
        if not self._case.isOpen or self._truth.truth is None:
            problem = _("Estimate the truth first; then the disagreements are listed.")
        elif not self._case.used and self._stored() is None:
            problem = _("Tick at least one annotator.")
        return problem

    @property
    def isLarge(self) -> bool:
        return self._case.isLarge

    @property
    def canChooseShare(self) -> bool:
        """The regions depend on the share, so it stays as it is once something is decided."""
        return self._stored() is None

    def basis(self) -> Basis:
        """The labels and the reference of the open case: those of its decisions, or else as they are now."""
        stored, case = self._stored(), self._case
        names = stored.decisions.annotators if stored is not None else case.used
        labels = case.labels()
        node = case.folder.find(Role.ADJUDICATED)
        if stored is None or node is None:
            return Basis({name: labels[name] for name in names if name in labels}, self._truth.truth, None)
        self.agreedShare = stored.decisions.agreed_share
        found = labelsOnGrid(AnnotatorSource("reference", node), case.folder.image, case.classes)
        return Basis({name: labels[name] for name in names if name in labels}, found.labels, stored)

    def taking(self, basis: Basis, regions: Disagreements, described: Mapping[int, Disagreement], digest: str) -> Work:
        """Begins a session with the disagreements that were found, and goes on with the decisions in the scene."""
        case, grid = self._case.folder.case, self._case.fileGeometry
        if grid.dimension == 2:  # decisions are about the labels as they are in files
            digest = labels_digest({name: labels.reshape(grid.shape) for name, labels in basis.labels.items()})
        record = Decisions(self._method(), tuple(basis.labels), {case: digest}, self.agreedShare)
        session = Session(case, basis.reference, regions, record, _described=dict(described))
        yield ""
        if basis.stored is not None:
            session.basis = replace(record, method=basis.stored.decisions.method)
            session.load(basis.stored.decisions, None if self._truth.truth is None else self._truth.truth.copy())
            for conflict in basis.stored.conflicts:
                number = regions.find(conflict.first.region)
                if number is not None and number not in session.decided:
                    session.conflicts[number] = conflict
        yield ""
        self.session = session
        self._isReferenceEdited = basis.stored is None and self._truth.isEdited
        if basis.stored is not None and self._truth.isEdited:
            yield from self.takingEdit()
        self.changed.emit(None)

    def setAdjudicator(self, name: str) -> None:
        """Whoever decides and edits from now on."""
        self.adjudicator = self._truth.editor = name

    def noticeEdit(self) -> bool:
        """Reads a truth that was edited in the scene; says whether the session is to take it into its decisions."""
        self._truth.takeEdits()
        if self.session is not None and self._truth.truth is not None:
            return True
        self.leave()
        self._truth.estimated.emit(None)
        return False

    def hideRegion(self) -> None:
        if self._case.isOpen:
            hideDisagreement(self._case.folder)

    @property
    def signedWords(self) -> str:
        """By whom and when the truth was signed off; empty where it was not, or has been changed since."""
        record = self._truth.record
        if not self._truth.isSigned:
            return ""
        return str(_("Signed off by {name} on {date}.").format(name=record.signed_by, date=record.signed_on))

    def provenance(self) -> Provenance:
        """How the truth of the session came about, signed off now."""
        session = self.session
        assert session is not None
        found = self._truth.provenance().with_decisions(session.record(), session.case, len(session))
        return replace(found, signed_off_by=self.adjudicator, signed_off_on=today())

    def leave(self) -> None:
        """Ends the session; what was decided is in the scene."""
        if self.session is not None and self._case.isOpen:
            hideDisagreement(self._case.folder)
        self.session = None
        self.changed.emit(None)

    @property
    def shown(self) -> ShownDecisions:
        """The readers and decisions of the session as they are shown now."""
        assert self.session is not None
        return ShownDecisions(self.session, self._case.classes, namesHidden=self.namesHidden)

    def decide(self, number: int, choice: str, comment: str = "") -> Work:
        """Decides about a region by "annotator:NAME", "majority", "estimate" or "unclear"."""
        assert self.session is not None
        self._begin()
        self.session.decide(number, choice, Stamp(self.adjudicator, today()), comment)
        yield from self._showing()

    def comment(self, number: int, comment: str) -> None:
        if self.session is not None and number in self.session.decided:
            self.session.comment(number, comment)
            self._store()

    def undo(self) -> Work:
        assert self.session is not None
        self.session.undo()
        yield from self._showing()

    def takingEdit(self) -> Work:
        """Takes an edit of the truth into the decisions of the session."""
        session, edited = self.session, self._truth.truth
        if session is None or edited is None:
            return
        yield ""
        if session.take_edit(edited, Stamp(self.adjudicator, today())):
            self._begin()
            yield from self._showing()

    def merging(self, path: Path) -> Work:
        """Adds another adjudicator's decisions to those of the session."""
        session = self.session
        assert session is not None
        found = Decisions.read(path)
        mine = found.of(session.case)
        if not mine:
            raise UserError(f"holds no decision about the case {session.case}", file=path, remedy="choose another")
        edited = None
        if any(decision.choice == EDITED for decision in mine):
            file = found.folder / next(decision.edit for decision in mine if decision.edit)
            yield _("Reading {name}...").format(name=file.name)
            image = read_labels(file)
            self._case.fileGeometry.require_same(image.geometry, f"case {session.case}", file=file)
            edited = image.array.reshape(session.reference.shape)
        self._begin()
        session.merge(found, edited)
        yield from self._showing()

    def saving(self, path: Path) -> Work:
        """Writes decisions.json, and beside it the edited truth and the reference, which `adjudicate` needs."""
        session = self.session
        assert session is not None
        grid, folder = self._case.fileGeometry, path.parent
        yield _("Writing {name}...").format(name=path.name)
        if session.is_edited and session.edited is not None:
            write_labels(folder / session.edit_file, session.edited.reshape(grid.shape), grid)
        yield _("Writing {name}...").format(name=path.name)
        EstimateWriter(folder / "reference" / session.case, grid).write_truth(session.reference.reshape(grid.shape))
        session.record().write(path)

    def signingOff(self) -> Work:
        """Marks the truth as final; the scene remembers by whom and when."""
        self._begin()
        yield from self._showing(signed=(self.adjudicator, today()))

    def beginEdit(self) -> None:
        """Keeps the reference in the scene, so that an edit in another module becomes a decision afterwards."""
        self._begin()
        self._store()

    def jumpTo(self, number: int) -> None:
        """Shows a disagreement in the views, with everybody's outlines."""
        session, case = self.session, self._case
        assert session is not None
        folder, box = case.folder, session.regions.box
        place, mask = session.regions.mask(number)
        where = tuple(
            slice(outer.start + inner.start, outer.start + inner.stop) for outer, inner in zip(box, place, strict=True)
        )
        showDisagreement(folder, where, mask, case.geometry)
        region = session[number].region
        low, high = region.bounds[::2], region.bounds[1::2]
        center = (-region.center_ras[0], -region.center_ras[1], region.center_ras[2])
        self.showViews()
        self._views.jumpTo(folder, center, extent=max(b - a for a, b in zip(low, high, strict=True)))

    def showViews(self) -> None:
        """Everybody's outlines over the image, and no error map."""
        for errors in self._case.folder.nodes(Role.ERRORS):
            showLegend(errors, visible=False)
        slicer.util.setSliceViewerLayers(foreground=None, label=None)
        self._case.showOnly(self._case.annotators)

    def _showing(self, *, signed: tuple[str, str] = ("", "")) -> Work:
        """Puts the truth that follows from the decisions into the scene, and the decisions with it."""
        session = self.session
        assert session is not None
        self._store()
        yield ""
        labels = session.truth()
        self._isDeciding = True
        try:
            yield from self._truth.showDecided(labels, signed=signed)
        finally:
            self._isDeciding = False
        self.changed.emit(None)

    def _begin(self) -> None:
        """Keeps the reference in the scene before the first decision about it."""
        session = self.session
        assert session is not None
        if self._stored() is None:
            case = self._case
            nodes = ResultNodes(case.folder, case.geometry, case.classes)
            node = nodes.truth(session.reference, name="reference", role=Role.ADJUDICATED)
            node.GetDisplayNode().SetVisibility(False)
            if self._isReferenceEdited:
                self._truth.beginDecisions()

    def _store(self) -> None:
        session = self.session
        assert session is not None
        conflicts = tuple(session.conflicts.values())
        record = session.record(whole=True)
        storeDecisions(self._case.folder, StoredDecisions(record, conflicts, len(session), len(session.undecided)))

    def _stored(self) -> StoredDecisions | None:
        """What was decided about the open case; None where nothing was, and no edit is to become a decision."""
        stored = storedDecisions(self._case.folder) if self._case.isOpen else None
        isUsed = stored is not None and (stored.decisions.decisions or stored.conflicts or self._truth.isKept)
        return stored if isUsed else None

    def _method(self) -> str:
        record, words = self._truth.record, self._truth.provenance()
        return f"{words.method or 'reference'}, edited by hand" if words.edited and record.method else words.method

    def _onEstimated(self) -> None:
        """Another truth is another reference; a case that was decided about keeps its own."""
        if self.session is not None and not self._isDeciding and self._stored() is None:
            self.leave()
