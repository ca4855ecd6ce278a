"""Draw first, then reveal: a drawing of the trainee's own, scored against the spread of the annotators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from slicer.i18n import tr as _

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.progress import finished
from NoisyLabelSegLib.review.compare.case import CaseReview, review_case
from NoisyLabelSegLib.review.compare.mistakes import Mistake
from NoisyLabelSegLib.review.handover import write_question
from NoisyLabelSegLib.review.practice.record import Attempt, PracticeRecord, case_digest
from NoisyLabelSegLib.review.practice.spread import SpreadScore, closest_reading, finding_closest_reading, scoring
from NoisyLabelSegLib.scene.colors import classColor
from NoisyLabelSegLib.scene.distance_surface import hideDistanceSurface
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.nodes import Role, removeNodes
from NoisyLabelSegLib.scene.results import ResultNodes
from NoisyLabelSegLib.scene.segments import fillSegmentation, showAsOutline
from NoisyLabelSegLib.scene.sources import AnnotatorSource, labelsOnGrid
from NoisyLabelSegLib.scene.tables import showPoints
from NoisyLabelSegLib.scene.views import ReviewViews
from NoisyLabelSegLib.signals import Signal
from NoisyLabelSegLib.widget.case_logic import CaseLogic
from NoisyLabelSegLib.widget.display_logic import DisplayLogic
from NoisyLabelSegLib.widget.truth_logic import TruthLogic
from NoisyLabelSegLib.widget.work import Work

MY_DRAWING = "my drawing"
DRAWING_COLOR = (1.0, 0.0, 1.0)
"""Of the trainee's lines beside those of the truth; magenta is none of the colors of errors."""
HIDDEN_ROLES = (Role.TRUTH, Role.KNOWN_TRUTH, Role.EDITED_TRUTH, Role.REFERENCE)


class PracticeLogic:
    """`changed` follows hiding, revealing and everything else. The ticked annotators are the experts."""

    def __init__(
        self, case: CaseLogic, truth: TruthLogic, display: DisplayLogic, views: ReviewViews, recordPath: Path
    ) -> None:
        self.changed: Signal[None] = Signal()
        self.score: SpreadScore | None = None
        self.review: CaseReview | None = None
        self._case, self._display, self._views = case, display, views
        self._recordPath = recordPath
        self._parameters: Any = None
        case.changed.connect(lambda _news: self._onCaseChanged())
        truth.estimated.connect(lambda _news: self._onEstimated())

    def setParameters(self, parameters: Any) -> None:
        self._parameters = parameters
        self.changed.emit(None)

    @property
    def isHidden(self) -> bool:
        """Whether the truth and the annotators are hidden until the trainee reveals them."""
        return self._parameters is not None and bool(self._parameters.practicing)

    @property
    def record(self) -> PracticeRecord:
        return PracticeRecord.read(self._recordPath)

    def problem(self) -> str:
        """Why there is nothing to practice on, empty where there is."""
        if not self._case.isOpen or not self._case.isReady:
            return str(_("Open a case that others outlined."))
        if not self._case.used:
            return str(_("Practice needs at least one ticked annotator to be scored against."))
        return ""

    @property
    def image(self) -> Any:
        return self._case.folder.image

    def draw(self, *, anew: bool = False) -> Any:
        """Hides everything and returns the segmentation node to draw in; an earlier drawing stays unless `anew`."""
        self._parameters.practicing = True
        self.score = self.review = None
        folder = self._case.folder
        if anew:
            removeNodes(folder.scene, folder.nodes(Role.DRAWING))
        removeNodes(folder.scene, [n for n in [folder.find(Role.ERRORS, annotator=MY_DRAWING)] if n is not None])
        node = folder.find(Role.DRAWING) or self._newDrawing()
        self._hide()
        node.GetDisplayNode().SetVisibility(True)
        _recolor(node, None)
        self.changed.emit(None)
        return node

    @property
    def isLarge(self) -> bool:
        return self._case.isLarge

    def reveal(self) -> None:
        """Scores the drawing, keeps the attempt in the record and shows everything again."""
        drawn = self._drawn()
        closest = closest_reading(drawn, self._experts())
        case, classes = self._case.folder.case, self._case.classes
        review = review_case({MY_DRAWING: drawn}, closest, self._case.geometry, classes=classes, case=case)
        finished(self.taking(review))

    def question(self, folder: Path) -> Iterator[None]:
        """Writes the drawing and what is closest to it, for a review in another process."""
        drawn, work = self._drawn(), finding_closest_reading(self._drawn(), self._experts())
        while True:
            try:
                next(work)
            except StopIteration as end:
                closest = end.value
                break
            yield
        geometry, classes = self._case.geometry, self._case.classes
        case = self._case.folder.case
        yield from write_question(folder, {MY_DRAWING: drawn}, closest, geometry, classes=classes, case=case)

    def taking(self, review: CaseReview) -> Work:
        """Shows what a review of the drawing found, and the score, and keeps the attempt in the record."""
        experts = self._experts()
        score = yield from scoring(self._drawn(), experts)
        yield ""
        self._keep(score, review, experts)
        nodes = ResultNodes(self._case.folder, self._case.geometry, self._case.classes)
        nodes.errors(MY_DRAWING, review.error_maps[MY_DRAWING])
        yield ""
        self.review, self.score = replace(review, error_maps={}), score
        self._parameters.practicing = False
        self._showAgain()
        self.changed.emit(None)

    @property
    def mistakes(self) -> Sequence[Mistake]:
        """The errors by the judgment of every annotator, largest first."""
        return () if self.review is None else self.review.mistakes

    def goTo(self, mistake: Mistake) -> None:
        self._views.jumpTo(self._case.folder, mistake.center, extent=max(mistake.extent))

    def earlier(self) -> tuple[Attempt, ...]:
        """The attempts at the open case, oldest first."""
        return self.record.of(case_digest(self._experts())) if not self.problem() else ()

    def plot(self) -> tuple[Any, list[str]]:
        """The chart of all attempts, and their names in order."""
        attempts = self.record.attempts
        names = [f"{number} ({attempt.date})" for number, attempt in enumerate(attempts, start=1)]
        points: dict[str, list[float | None]] = {
            str(_("my mean Dice")): [attempt.dice_with_experts for attempt in attempts],
            str(_("annotators' mean Dice")): [attempt.experts_mean for attempt in attempts],
        }
        folder = CaseFolder(self._views.scene, "practice")
        return showPoints(folder, "Progress", ("attempt", names), points), names

    def _keep(self, score: SpreadScore, review: CaseReview, experts: Sequence[Any]) -> None:
        """Adds the attempt to the user's record: figures only."""
        row = review.of(MY_DRAWING)[-1]
        attempt = Attempt(
            case=case_digest(experts),
            date=date.today().isoformat(),
            dice_undisputed=score.dice_undisputed,
            dice_with_experts=score.dice_with_experts,
            experts_low=score.experts_low,
            experts_mean=score.experts_mean,
            experts_high=score.experts_high,
            experts=len(experts),
            errors=len(review.mistakes),
            missed_ml=row.missed_ml,
            extra_ml=row.extra_ml,
        )
        self.record.add(attempt)

    def _drawn(self) -> Any:
        node = self._case.folder.find(Role.DRAWING)
        if node is None:
            raise UserError(_("Nothing is drawn yet"), remedy=_("press Draw first"))
        labels = labelsOnGrid(AnnotatorSource(MY_DRAWING, node), self.image, self._case.classes).labels
        if not labels.any():
            raise UserError(_("Nothing is drawn yet"), remedy=_("draw what you see in Segment Editor first"))
        return labels

    def _experts(self) -> list[Any]:
        labels = self._case.labels()
        return [labels[name] for name in self._case.used]

    def _newDrawing(self) -> Any:
        """An empty segmentation with a segment per class."""
        folder, classes = self._case.folder, self._case.classes
        node = folder.put("vtkMRMLSegmentationNode", Role.DRAWING, f"{folder.case} {MY_DRAWING}")
        empty = 0 * self._experts()[0]
        colors = [classColor(label) for label in range(1, len(classes))]
        fillSegmentation(node, empty, self._case.geometry, classes[1:], colors)
        node.SetNodeReferenceID(node.GetReferenceImageGeometryReferenceRole(), self.image.GetID())
        showAsOutline(node)
        return node

    def _hide(self) -> None:
        folder = self._case.folder
        self._case.showOnly(())
        for node in folder.nodes(*HIDDEN_ROLES):
            node.GetDisplayNode().SetVisibility(False)
        hideDistanceSurface(folder)
        self._parameters.oneViewEach = False
        self._display.hideErrors()
        self._views.places.unmark()

    def _showAgain(self) -> None:
        folder = self._case.folder
        for node in folder.nodes(Role.TRUTH):
            node.GetDisplayNode().SetVisibility(True)
        _recolor(folder.find(Role.DRAWING), DRAWING_COLOR)
        self._display.showOwnErrors(MY_DRAWING)

    def _onEstimated(self) -> None:
        if self.isHidden and self._case.isOpen:
            self._hide()

    def _onCaseChanged(self) -> None:
        self.score = self.review = None
        if self.isHidden and self._case.isOpen and self._case.isReady:
            if self._case.folder.find(Role.DRAWING) is None:  # another case was opened
                self._parameters.practicing = False
            else:
                self._hide()
        self.changed.emit(None)


def _recolor(node: Any, color: tuple[float, float, float] | None) -> None:
    """Draws all segments in one color, or in their own again."""
    display = node.GetDisplayNode()
    for id in node.GetSegmentation().GetSegmentIDs():
        if color is None:
            display.UnsetSegmentOverrideColor(id)
        else:
            display.SetSegmentOverrideColor(id, *color)
