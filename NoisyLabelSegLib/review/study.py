"""Reviews a study case by case, keeping of each only what the tables and reports need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Case, Study
from NoisyLabelSegLib.cases.estimates import EstimateWriter
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.reliability import remark_on_panels
from NoisyLabelSegLib.metrics.confusion import expected_errors
from NoisyLabelSegLib.metrics.figures import ALL_CLASSES
from NoisyLabelSegLib.progress import Report, silent, steps
from NoisyLabelSegLib.review.active.evidence import (
    Evidence,
    Region,
    all_doubts,
    blank_evidence,
    gather_evidence,
    panel_of,
)
from NoisyLabelSegLib.review.active.suggestions import Suggestion, suggest
from NoisyLabelSegLib.review.compare.case import CaseReview, review_case
from NoisyLabelSegLib.review.compare.error_map import error_map_of_class
from NoisyLabelSegLib.review.compare.mistakes import Mistake
from NoisyLabelSegLib.review.compare.settings import ReviewSettings
from NoisyLabelSegLib.review.compare.statistics import AnnotatorStatistics
from NoisyLabelSegLib.review.compare.summary import AnnotatorSummary, summarize
from NoisyLabelSegLib.review.report.gallery import Gallery, SlicePicture, worst_slices
from NoisyLabelSegLib.review.truths import Truth, TruthOf


@dataclass(frozen=True)
class StudyReview:
    """`cases` are the ids in the study's order; each annotator's statistics are in the order they were drawn.

    `truth` says in words what the annotators were compared with; `left_out` are the ids of cases without a truth.
    `reliability` is a sentence where the reference is a fusion of too few labels to tell how reliable annotators are.
    `confusion` is (L, L) per annotator, columns summing to one. Pictures are of all annotators, or of the worst of one.
    """

    name: str
    classes: tuple[str, ...]
    annotators: tuple[str, ...]
    cases: tuple[str, ...]
    left_out: tuple[str, ...]
    truth: str
    reliability: str
    settings: ReviewSettings
    statistics: tuple[AnnotatorStatistics, ...]
    mistakes: tuple[Mistake, ...]
    summaries: tuple[AnnotatorSummary, ...]
    confusion: Mapping[str, NDArray[np.float64]]
    suggestions: tuple[Suggestion, ...]
    regions: Mapping[str, tuple[Region, ...]]
    pictures: tuple[SlicePicture, ...]
    pictures_of: Mapping[str, tuple[SlicePicture, ...]]

    @property
    def labels(self) -> tuple[str, ...]:
        """The foreground classes, and all of them together where there are several."""
        return self.classes[1:] if len(self.classes) == 2 else (*self.classes[1:], ALL_CLASSES)

    def overall(self, annotator: str) -> AnnotatorSummary | None:
        """The annotator over all classes, None for one who labeled none of the cases."""
        return self.of_class(annotator, self.labels[-1])

    def of_class(self, annotator: str, label: str) -> AnnotatorSummary | None:
        found = (item for item in self.summaries if item.annotator == annotator and item.label == label)
        return next(found, None)


Labels = Mapping[str, NDArray[np.uint8]]


def review_study(
    study: Study,
    truth_of: TruthOf,
    folder: Path,
    *,
    truth_name: str,
    settings: ReviewSettings | None = None,
    costs: Mapping[str, float] | None = None,
    report: Report = silent,
) -> StudyReview:
    """Compares every annotator with the truth of every case that has one; the maps go to `folder/<case id>/`."""
    settings = settings or ReviewSettings()
    found = _Findings(study, settings)
    for number, case in enumerate(steps(study.cases, "review", report), start=1):
        truth = truth_of(case)
        if not case.annotations:
            found.add_blank(case, truth)
        if truth is None:
            found.left_out.append(case.id)
            continue
        labels = {name: array for name in case.annotators if (array := case.labels(name)) is not None}
        review = review_case(
            labels,
            truth.labels,
            case.geometry,
            classes=study.classes,
            case=case.id,
            settings=settings,
            fused_from=truth.fused_from,
        )
        _write_maps(folder / case.id, study, case, labels, truth, review)
        found.add(number, case, labels, truth, review)
    if len(found.left_out) == len(study.cases):
        raise UserError(f"Nobody labeled any case of the study {study.name}", remedy="give a folder of truths")
    return found.result(truth_name, costs or {})


@dataclass
class _Findings:
    """What has been found so far."""

    study: Study
    settings: ReviewSettings
    left_out: list[str] = field(default_factory=list)
    statistics: list[AnnotatorStatistics] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    confusion: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    panels: list[tuple[str, ...]] = field(default_factory=list)
    """The annotators whose labels the reference of each case was fused from, where it was."""

    def __post_init__(self) -> None:
        self._worst = Gallery(self.settings.pictures)
        self._worst_of = {name: Gallery(self.settings.pictures) for name in self.study.annotators}

    def add(self, number: int, case: Case, labels: Labels, truth: Truth, review: CaseReview) -> None:
        self.statistics += review.statistics
        self.mistakes += review.mistakes
        if truth.fused_from is not None:
            self.panels.append(truth.fused_from.annotators)
        for name, counts in review.confusion.items():
            self.confusion[name] = self.confusion.get(name, 0) + counts
        if labels:
            self.evidence.append(
                gather_evidence(
                    case.id,
                    labels,
                    review.confusion,
                    case.geometry,
                    annotators=self.study.annotators,
                    classes=len(self.study.classes),
                )
            )
            self._offer_pictures(number, case, labels, truth, review)

    def add_blank(self, case: Case, truth: Truth | None) -> None:
        """A case that nobody labeled yet may be the one to ask about."""
        self.evidence.append(
            blank_evidence(
                case.id,
                None if truth is None else truth.probabilities,
                case.geometry,
                annotators=len(self.study.annotators),
                classes=len(self.study.classes),
            )
        )

    def result(self, truth_name: str, costs: Mapping[str, float]) -> StudyReview:
        study = self.study
        panel = panel_of(self.evidence)
        ordered = _as_drawn(self.statistics, study)
        left_out = tuple(self.left_out)
        suggested = suggest(all_doubts(self.evidence, panel, study.annotators), panel, study.annotators, costs)
        second_looks = not remark_on_panels(case.annotators for case in study.cases)
        return StudyReview(
            name=study.name,
            classes=study.classes,
            annotators=study.annotators,
            cases=tuple(case.id for case in study.cases),
            left_out=left_out,
            truth=truth_name,
            reliability=remark_on_panels(self.panels) if self.panels else "",
            settings=self.settings,
            statistics=tuple(ordered),
            mistakes=tuple(sorted(self.mistakes, key=lambda mistake: -mistake.size)),
            summaries=tuple(_summaries(ordered, self.settings)),
            confusion={name: _columns_to_one(counts) for name, counts in self.confusion.items()},
            suggestions=tuple(item for item in suggested if second_looks or not item.again),
            regions={item.case: item.regions for item in self.evidence},
            pictures=tuple(self._worst.pictures()),
            pictures_of={name: tuple(gallery.pictures()) for name, gallery in self._worst_of.items()},
        )

    def _offer_pictures(self, number: int, case: Case, labels: Labels, truth: Truth, review: CaseReview) -> None:
        if not self.settings.pictures:
            return
        image = case.image()[0] if case.images else None
        count = -(-self.settings.pictures // len(self.study.cases))

        def worst(maps: Mapping[str, NDArray[np.uint8]]) -> Any:
            return worst_slices(number, case.id, maps, image, truth.labels, labels, case.geometry, count)

        self._worst.offer(worst(review.error_maps))
        for name, codes in review.error_maps.items():
            self._worst_of[name].offer(worst({name: codes}))


def _write_maps(folder: Path, study: Study, case: Case, labels: Labels, truth: Truth, review: CaseReview) -> None:
    writer = EstimateWriter(folder, case.geometry)
    for name, codes in review.error_maps.items():
        writer.write_errors(name, codes)
        if len(study.classes) > 2:
            for label, title in enumerate(study.classes[1:], start=1):
                writer.write_errors(name, error_map_of_class(labels[name], truth.labels, label), title)
    if truth.probabilities is None:
        return
    for name in study.annotators:
        confusion = truth.confusion(name)
        if confusion is not None:
            writer.write_expected(name, expected_errors(confusion, truth.probabilities))


def _as_drawn(statistics: list[AnnotatorStatistics], study: Study) -> list[AnnotatorStatistics]:
    """By the dates of an annotator who dated every case, else in the study's order; annotators in theirs."""
    places = {case.id: place for place, case in enumerate(study.cases)}
    dates = {(case.id, name): item.date for case in study.cases for name, item in case.annotations.items()}
    dated = {
        name: all(date is not None for (_, other), date in dates.items() if other == name) for name in study.annotators
    }

    def order(row: AnnotatorStatistics) -> tuple[int, str, int]:
        date = dates[row.case, row.annotator] if dated[row.annotator] else None
        return study.annotators.index(row.annotator), date or "", places[row.case]

    return sorted(statistics, key=order)


def _summaries(rows: list[AnnotatorStatistics], settings: ReviewSettings) -> list[AnnotatorSummary]:
    groups: dict[tuple[str, str], list[AnnotatorStatistics]] = {}
    for row in rows:
        groups.setdefault((row.annotator, row.label), []).append(row)
    return [summarize(group, settings) for group in groups.values()]


def _columns_to_one(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """p(says i | truth is j); a class that never occurs leaves its column at 1/L."""
    totals = counts.sum(axis=0, keepdims=True)
    return np.where(totals > 0, counts / np.maximum(totals, 1), 1 / len(counts))
