"""Compares the annotators of the open case with its truth, and walks through their mistakes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from NoisyLabelSegLib.progress import finished
from NoisyLabelSegLib.review.compare.case import CaseReview, review_case
from NoisyLabelSegLib.review.compare.mistakes import Mistake
from NoisyLabelSegLib.review.compare.statistics import AnnotatorStatistics
from NoisyLabelSegLib.review.compare.summary import summarize
from NoisyLabelSegLib.review.handover import write_question
from NoisyLabelSegLib.review.report.page import DEFAULT_COLORS
from NoisyLabelSegLib.review.sentences import (
    Translate,
    accuracy_sentences,
    annotator_sentence,
    in_english,
    mistake_sentences,
)
from NoisyLabelSegLib.scene.colors import legendOf
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.layout import ORIENTATIONS
from NoisyLabelSegLib.scene.nodes import Role, Tag
from NoisyLabelSegLib.scene.results import ResultNodes, chooseErrorColors
from NoisyLabelSegLib.scene.views import ReviewViews
from NoisyLabelSegLib.signals import Signal
from NoisyLabelSegLib.widget.case_logic import CaseLogic
from NoisyLabelSegLib.widget.class_errors import ClassErrors
from NoisyLabelSegLib.widget.expected_errors import ExpectedErrors
from NoisyLabelSegLib.widget.mistake_walk import Where, placeIn
from NoisyLabelSegLib.widget.truth_logic import TruthLogic
from NoisyLabelSegLib.widget.work import Work

MOST_MISTAKES = 50
"""Enough for walking through the errors one by one; the table of mistakes in the scene has them all."""


class AnnotatorsLogic:
    """`reviewed` follows new figures, or none any more; `shown` an annotator's errors in the views (the name)."""

    def __init__(
        self, case: CaseLogic, truth: TruthLogic, views: ReviewViews, translate: Translate = in_english
    ) -> None:
        self.reviewed: Signal[None] = Signal()
        self.shown: Signal[str] = Signal()
        self.showsErrors = True
        """Whether error maps lie over the image; something else may."""
        self.planes: Sequence[str] = ORIENTATIONS[:1]
        self.review: CaseReview | None = None
        self._colors, self._correct = DEFAULT_COLORS, True
        self.shownClass = ""
        """The class that figures and mistakes are about; empty for all classes together."""
        self._case, self._truth, self._views, self._translate = case, truth, views, translate
        self._annotator, self._eachShown = "", False
        self._classErrors = ClassErrors(case, truth)
        self.expected = ExpectedErrors(case, views)
        self._current: Mistake | None = None
        """The mistake that the views are at; it is found again in a new review."""

    def update(self) -> None:
        """Compares everybody with the truth as it is now and puts the result into the scene."""
        self.review = None
        if self.canReview:
            finished(self.taking(review_case(**self._asked())))
        else:
            self.reviewed.emit(None)

    @property
    def canReview(self) -> bool:
        """Whether there is a truth, and somebody to compare with it."""
        return self._truth.truth is not None and bool(self._case.annotators)

    @property
    def folder(self) -> CaseFolder:
        return self._case.folder

    @property
    def isLarge(self) -> bool:
        return self._case.isLarge

    def question(self, folder: Path) -> Iterator[None]:
        """Writes the case, step by step, for a review in another process."""
        return write_question(folder, **self._asked())

    def taking(self, review: CaseReview) -> Work:
        """Puts a review into the scene, step by step."""
        nodes = self._nodes()
        self._classErrors.outdate()
        for annotator, codes in review.error_maps.items():
            yield ""
            nodes.errors(annotator, codes, colors=self._colors, correct=self._correct)
        nodes.statistics(review.statistics)
        yield ""
        nodes.mistakes(review.mistakes)
        self.review = replace(review, error_maps={})  # the nodes have them
        self.reviewed.emit(None)

    def rows(self) -> list[AnnotatorStatistics]:
        """One row per annotator: the shown class, the only class, or all classes together.

        Whoever was added since the review has none yet.
        """
        review = self.review
        return [] if review is None else [self._row(name) for name in self._case.annotators if review.of(name)]

    def classes(self) -> tuple[str, ...]:
        """The classes to choose from; empty where there is one only."""
        isKnown = self._case.isOpen and self.review is not None
        return self._case.classes[1:] if isKnown and len(self._case.classes) > 2 else ()

    @property
    def mapClass(self) -> str:
        """The class whose errors alone the views show; empty for all classes together."""
        return self.shownClass if self.shownClass and self.shownClass in self.classes() else ""

    def _row(self, annotator: str) -> AnnotatorStatistics:
        assert self.review is not None
        rows = self.review.of(annotator)
        return next((row for row in rows if row.label == self.shownClass), rows[-1])

    def sentence(self, annotator: str) -> str:
        """What the annotator gets wrong, in plain words."""
        if self.review is None or annotator not in self._case.annotators:
            return ""
        if annotator == self._truth.reader:
            return self._translate("{annotator} is the reference.").format(annotator=annotator)
        row = self._row(annotator)
        words = annotator_sentence(summarize([row]), translate=self._translate)
        return " ".join([words, *accuracy_sentences(row, self._translate)])

    def mistakes(self, annotator: str) -> list[Mistake]:
        """The largest of the shown class, largest first."""
        return self._allMistakes(annotator)[:MOST_MISTAKES]

    def _allMistakes(self, annotator: str) -> list[Mistake]:
        found = () if self.review is None else self.review.mistakes
        return [
            each
            for each in found
            if each.annotator == annotator
            and (not self.shownClass or self.shownClass in (each.true_class, each.drawn_class))
        ]

    def step(self, annotator: str, by: int, order: Sequence[Mistake] = ()) -> tuple[int, int, str] | None:
        """Moves the views to the next (`by` 1) or previous (-1) mistake, around the ends; None where there is none.

        They come largest first, or in this order.

        Returns its number, how many there are, and what it is in words.
        """
        mistakes = list(order) or self.mistakes(annotator)
        if not mistakes:
            return None
        place = placeIn(mistakes, self._current)
        place = 0 if place is None else (place + by) % len(mistakes)
        self.goTo(mistakes[place])
        return place + 1, len(mistakes), mistake_sentences(mistakes[place], self._translate)

    def goTo(self, mistake: Mistake) -> None:
        """Moves the views to a mistake and zooms in on it."""
        self._annotator, self._current = mistake.annotator, mistake
        self._jumpTo(mistake)

    def zoomBack(self) -> None:
        """Shows as much as before the first jump to a mistake."""
        self._views.places.zoomBack()

    @property
    def annotator(self) -> str:
        """Whose errors the views show."""
        return self._annotator

    @property
    def mistake(self) -> Mistake | None:
        """The mistake that the views are at."""
        return self._current

    def current(self, annotator: str) -> Where | None:
        """The mistake of the annotator that the views are at, None where they are at none."""
        mistakes = self.mistakes(annotator)
        place = placeIn(mistakes, self._current)
        if place is None:
            return None
        words = mistake_sentences(mistakes[place], self._translate)
        return Where(place + 1, len(mistakes), len(self._allMistakes(annotator)), words)

    def settleViews(self) -> None:
        """Puts views that were just made at the current mistake, or else at the largest one of the annotator.

        Slicer sets the offset of new slice views to 0 in the first event loop after they appear.
        """
        mistakes = self.mistakes(self._annotator)
        if self._eachShown:
            self._views.fit()
        if mistakes:
            self._jumpTo(mistakes[placeIn(mistakes, self._current) or 0])

    def _jumpTo(self, mistake: Mistake) -> None:
        self._views.jumpTo(self._case.folder, mistake.center, extent=max(mistake.extent))

    def isPrepared(self, annotator: str, *, oneViewEach: bool) -> bool:
        """Whether show() has nothing to make any more."""
        return not self._classErrors.missing(self._viewed(annotator, oneViewEach), self.mapClass)

    def preparing(self, annotator: str, *, oneViewEach: bool) -> Work:
        """Makes what show() is to show, in steps: the error maps of a class that was chosen."""
        names = self._viewed(annotator, oneViewEach)
        yield from self._classErrors.making(names, self.mapClass, colors=self._colors, correct=self._correct)

    def _viewed(self, annotator: str, oneViewEach: bool) -> list[str]:
        return [name for name in self._case.annotators if oneViewEach or name == annotator]

    def show(self, annotator: str, *, oneViewEach: bool) -> bool:
        """Lets the views show this annotator's outlines and error map, or everybody's side by side.

        Returns whether the views are arranged in another way now, so that settleViews() is to be called soon.
        """
        folder, isArranged = self._case.folder, oneViewEach != self._eachShown
        if not (self.showsErrors or isArranged or annotator != self._annotator):
            return False  # something else was chosen to lie over the image
        finished(self.preparing(annotator, oneViewEach=oneViewEach))
        self._annotator, self.showsErrors = annotator, True
        if not oneViewEach:
            self.leaveViews()
        self._eachShown = oneViewEach
        self._case.showOnly(self._case.annotators if oneViewEach else (annotator,))
        if oneViewEach:
            self._views.showEach(folder, self._case.annotators, planes=self.planes, label=self.mapClass)
        elif annotator:
            self._views.showHeatMap(None)
            self._views.showOne(folder, annotator, label=self.mapClass)
        self._classErrors.keepOnly(self.mapClass)
        self.shown.emit(annotator)
        return isArranged

    def showAgain(self) -> None:
        """The same annotator's errors again, after something else was shown or in other planes."""
        finished(self.showingAgain())

    def showingAgain(self) -> Work:
        """showAgain() in steps."""
        self.showsErrors = True
        if self._annotator in self._case.annotators:
            yield from self.preparing(self._annotator, oneViewEach=self._eachShown)
            self.show(self._annotator, oneViewEach=self._eachShown)
            if self._eachShown:
                self.settleViews()

    def leaveViews(self) -> None:
        """Brings back the layout from before everybody had a view."""
        if self._eachShown:
            self._views.restore()
        self._eachShown = False

    def leaveScene(self) -> None:
        """Leaves the views as they were; what they showed is not kept for another scene."""
        self.leaveViews()
        self._views.forget()
        self._current = None

    def leaveMistake(self) -> None:
        """Takes the crosshair away from the place of a mistake: another case is shown."""
        self._current = None
        self._views.places.unmark()

    def showLegends(self, *, visible: bool) -> None:
        """Shows the legend of the annotator's errors, or hides it while another module is in front."""
        for errors in self._case.folder.nodes(Role.ERRORS) if self._case.isOpen else []:
            tag = Tag.read(errors)
            isTheirs = tag is not None and (tag.annotator, tag.label) == (self._annotator, self.mapClass)
            legend = legendOf(errors)
            if legend is not None and (isTheirs or not visible):
                legend.SetVisibility(visible)

    def chooseColors(self, colors: str, *, correct: bool) -> None:
        """Draws errors in the colors of a table from now on, with or without what is correct."""
        self._colors, self._correct = colors, correct
        if self._case.isOpen:
            chooseErrorColors(self._case.folder, colors, correct=correct)

    def _asked(self) -> dict[str, Any]:
        return {
            "labels": self._case.labels(),
            "truth": self._truth.truth,
            "geometry": self._case.geometry,
            "classes": self._case.classes,
            "case": self._case.folder.case,
            "fused_from": self._truth.fusedFrom,
        }

    def _nodes(self) -> ResultNodes:
        return ResultNodes(self._case.folder, self._case.geometry, self._case.classes)
