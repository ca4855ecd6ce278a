"""Two references of the open case side by side: fusion methods, the truth as it is, what people drew."""

from __future__ import annotations

from slicer.i18n import tr as _

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion import METHODS, Votes
from NoisyLabelSegLib.review.compare.references import ReferenceComparison, comparing_references
from NoisyLabelSegLib.scene.legend_place import LegendPlacer
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.scene.pair_views import forgetPair, showPair
from NoisyLabelSegLib.scene.sources import readingLabels
from NoisyLabelSegLib.scene.views import ReviewViews
from NoisyLabelSegLib.widget.annotators_logic import AnnotatorsLogic
from NoisyLabelSegLib.widget.case_logic import CaseLogic
from NoisyLabelSegLib.widget.truth_logic import TruthLogic
from NoisyLabelSegLib.widget.work import Work, told

CURRENT = "current"
"""The truth as it is: an estimate, of a model too, or what was decided."""


class CompareLogic:
    """`isShown` while the two references are in the views."""

    def __init__(
        self,
        case: CaseLogic,
        truth: TruthLogic,
        annotators: AnnotatorsLogic,
        views: ReviewViews,
        placer: LegendPlacer,
    ) -> None:
        self.isShown = False
        self._placer = placer
        self._place: tuple[float, ...] | None = None
        """Where the two differ most (LPS, mm)."""
        self._case, self._truth, self._annotators, self._views = case, truth, annotators, views

    def choices(self) -> list[tuple[str, str]]:
        """The references that there are: names and titles."""
        if not self._case.isOpen or not self._case.isReady or self._case.questions:
            return []
        current = [] if self._truth.truth is None else [(CURRENT, str(_("The truth as it is")))]
        methods = [(name, method.title) for name, method in METHODS.items()] if self._case.used else []
        return [*current, *methods, *((each.key, each.title) for each in self._truth.references())]

    @property
    def isLarge(self) -> bool:
        return self._case.isLarge

    def comparing(self, first: str, second: str) -> Work:
        """Shows both side by side; returns their comparison."""
        titles = dict(self.choices())
        pair = []
        for name in (first, second):
            if name not in titles:
                raise UserError(_("This reference is not there any more"), remedy=_("choose another"))
            pair.append((yield from told(_("Reading {step}..."), self._labels(name, titles[name]))))
        saying = _("Comparing the two references...")
        yield saying
        geometry, classes = self._case.geometry, self._case.classes
        work = comparing_references(pair[0], pair[1], classes, geometry.voxel_volume)
        found: ReferenceComparison = yield from told(saying, work)
        yield saying
        self._annotators.leaveViews()
        for node in self._case.folder.nodes(Role.TRUTH):
            node.GetDisplayNode().SetVisibility(False)
        names = [titles[first], titles[second]]
        showPair(self._views, self._case.folder, names, pair, found.differences, geometry, classes)
        self.isShown = True
        place = found.most_different
        self._place = None if place is None else tuple(geometry.points(place).tolist())
        self.settle()
        return found

    def settle(self) -> None:
        """Shows the slice in which the two differ most; also when Slicer has moved views that were just made."""
        if self.isShown:
            self._views.fit()
            if self._place is not None:
                self._views.jumpTo(self._case.folder, self._place, centered=False, mark=False)
            self._placer.follow()

    def back(self) -> None:
        """Brings the views back from before the comparison."""
        if not self.isShown:
            return
        self.isShown = False
        self._views.restore()
        if self._case.isOpen:
            forgetPair(self._case.folder)
            for node in self._case.folder.nodes(Role.TRUTH):
                node.GetDisplayNode().SetVisibility(True)
            self._annotators.showAgain()

    def forget(self) -> None:
        """The scene goes away, or another case is open."""
        if self.isShown:
            self._views.restore()
        self.isShown = False

    def _labels(self, name: str, title: str) -> Work:
        yield title
        if name == CURRENT:
            return self._truth.truth
        if name in METHODS:
            labels = self._case.labels()
            votes = Votes([labels[each] for each in self._case.used], classes=len(self._case.classes))
            return votes.fuse(name).labels
        reference = next(each for each in self._truth.references() if each.key == name)
        if reference.annotator:
            return self._case.labels()[reference.annotator]
        found = yield from readingLabels(reference.source, self._case.folder.image, self._case.classes)
        return found.labels
