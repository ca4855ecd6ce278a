"""What lies over the image: an annotator's errors, where annotators agree, how sure the estimate is, or nothing."""

from __future__ import annotations

from enum import Enum
from typing import Any

import slicer
from slicer.i18n import tr as _

from NoisyLabelSegLib.progress import finished
from NoisyLabelSegLib.review import COLORBLIND, PAPER, Color, color_table
from NoisyLabelSegLib.scene.agreement_maps import makingAgreementMap, makingDisagreementMap
from NoisyLabelSegLib.scene.distance_surface import hideDistanceSurface, showingDistanceSurface
from NoisyLabelSegLib.scene.layout import ORIENTATIONS
from NoisyLabelSegLib.scene.legend_place import LegendPlacer
from NoisyLabelSegLib.scene.views import ErrorStyle, ReviewViews
from NoisyLabelSegLib.signals import Signal
from NoisyLabelSegLib.widget.annotators_logic import AnnotatorsLogic
from NoisyLabelSegLib.widget.case_logic import CaseLogic
from NoisyLabelSegLib.widget.truth_logic import TruthLogic
from NoisyLabelSegLib.widget.user_settings import DisplayChoices
from NoisyLabelSegLib.widget.work import Work, told


class Overlay(Enum):
    """What can lie over the image, one at a time."""

    ERRORS = "errors"
    AGREEMENT = "agreement"
    DISAGREEMENT = "disagreement"
    CONFIDENCE = "confidence"
    NOTHING = "nothing"


class DisplayLogic:
    """`changed` follows another overlay, `errorsShown` an annotator's errors in the views.

    `outdated` asks for an overlay to be made anew.

    Error maps are drawn as the user of this computer chose before.
    """

    def __init__(
        self, case: CaseLogic, truth: TruthLogic, annotators: AnnotatorsLogic, views: ReviewViews, scene: Any
    ) -> None:
        self.changed: Signal[None] = Signal()
        self.errorsShown: Signal[None] = Signal()
        self.outdated: Signal[Overlay] = Signal()
        self.overlay = Overlay.ERRORS
        self.placer = LegendPlacer(scene)
        self.choices = DisplayChoices.read()
        self._case, self._truth, self._annotators, self._views = case, truth, annotators, views
        self._apply()
        annotators.shown.connect(lambda _news: self._onErrorsShown())
        annotators.reviewed.connect(lambda _news: self._onReviewed())

    @property
    def colors(self) -> list[Color]:
        """The colors of an error map that are drawn, for a legend beside the views."""
        table = color_table(PAPER if self.choices.paperColors else COLORBLIND)
        several = bool(self._annotators.classes()) and not self._annotators.mapClass
        return [c for c in table if c.opacity and (self.choices.correct or c.code != 1) and (several or c.code != 4)]

    def choose(self, **values: Any) -> None:
        """Changes how errors are drawn, for this user and from now on."""
        self.choices = self.choices.changed(**values)
        self._apply()
        if "planes" in values:
            self._annotators.showAgain()
        self.placer.follow()

    def problem(self, overlay: Overlay) -> str:
        """Why this cannot be shown now, empty where it can."""
        if overlay in (Overlay.AGREEMENT, Overlay.DISAGREEMENT) and len(self._usable()) < 2:
            return str(_("Agreement needs at least two ticked annotators."))
        if overlay is Overlay.CONFIDENCE and self._truth.truth is None:
            return str(_("Estimate the truth first."))
        return ""

    @property
    def isLarge(self) -> bool:
        return self._case.isLarge

    def showing(self, overlay: Overlay) -> Work:
        """Lays this over the image in place of what was there; CONFIDENCE is laid there by the truth's own section."""
        self.overlay = overlay
        self._annotators.showsErrors = overlay is Overlay.ERRORS
        if overlay in (Overlay.AGREEMENT, Overlay.DISAGREEMENT, Overlay.CONFIDENCE) and self._case.isOpen:
            self._case.showOnly(())  # whoever was selected is not what the map is about
        if overlay is Overlay.ERRORS:
            yield from self._annotators.showingAgain()
        elif overlay is Overlay.NOTHING:
            self._views.showNothing()
        elif overlay is not Overlay.CONFIDENCE:
            node = yield from told(_("Comparing the annotators voxel by voxel..."), self._making(overlay))
            self._views.showHeatMap(node, opacity=1.0 if overlay is Overlay.AGREEMENT else 0.6)
        self.changed.emit(None)
        self.placer.follow()

    def hideErrors(self) -> None:
        """Nothing lies over the image, and every annotator's view is gone."""
        self._annotators.leaveViews()
        finished(self.showing(Overlay.NOTHING))

    def showOwnErrors(self, name: str) -> None:
        """The error map of this name, until somebody selects an annotator or another overlay."""
        self.overlay = Overlay.ERRORS
        self._apply()
        self._views.showOne(self._case.folder, name)
        self.changed.emit(None)
        self.placer.follow()

    def showingSurface(self, *, shown: bool) -> Work:
        """The truth's surface, colored by the signed distance of the selected annotator, in the 3D views."""
        if not self._case.isOpen:
            return
        annotator = self._annotators.annotator
        if shown and annotator in self._case.annotators and self._truth.truth is not None:
            labels, label = self._case.labels()[annotator], self._annotators.mapClass
            if label:
                labels = labels == self._case.classes.index(label)
            work = showingDistanceSurface(self._case.folder, annotator, labels, self._case.geometry, label=label)
            yield from told(_("Making the surface of the truth..."), work)
            manager = slicer.app.layoutManager()
            if manager is not None:  # there is none without a main window
                manager.resetThreeDViews()
        else:
            hideDistanceSurface(self._case.folder)

    def leaveScene(self) -> None:
        self.placer.stop()
        self.overlay = Overlay.ERRORS

    def _making(self, overlay: Overlay) -> Work:
        labels, folder, geometry = self._usable(), self._case.folder, self._case.geometry
        if overlay is Overlay.AGREEMENT:
            shown = self._annotators.shownClass
            label = self._case.classes.index(shown) if shown in self._case.classes else None
            return makingAgreementMap(folder, labels, geometry, label)
        return makingDisagreementMap(folder, labels, geometry, len(self._case.classes))

    def _usable(self) -> list[Any]:
        if not self._case.isOpen or not self._case.isReady:
            return []
        labels = self._case.labels()
        return [labels[name] for name in self._case.used]

    def _apply(self) -> None:
        style = ErrorStyle(self.choices.filled, self.choices.opacity / 100)
        self._views.drawErrors(style)
        colors = PAPER if self.choices.paperColors else COLORBLIND
        self._annotators.chooseColors(colors, correct=self.choices.correct)
        self._annotators.planes = ORIENTATIONS if self.choices.planes else ORIENTATIONS[:1]

    def _onErrorsShown(self) -> None:
        if self.overlay is not Overlay.ERRORS:
            self.overlay = Overlay.ERRORS
            self.changed.emit(None)
        self.errorsShown.emit(None)
        self.placer.follow()

    def _onReviewed(self) -> None:
        """A map of agreement follows other annotators; it is made anew where it is shown."""
        if self.overlay in (Overlay.AGREEMENT, Overlay.DISAGREEMENT) and not self.problem(self.overlay):
            self.outdated.emit(self.overlay)
