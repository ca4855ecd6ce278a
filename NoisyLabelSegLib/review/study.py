"""Reviews a study case by case, keeping of each only what the tables and reports need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Annotation, Study
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.failures import Failure, Failures
from NoisyLabelSegLib.fusion.reliability import remark_on_panels
from NoisyLabelSegLib.metrics.figures import ALL_CLASSES
from NoisyLabelSegLib.progress import Map, Report, silent, steps
from NoisyLabelSegLib.review.active.evidence import (
    DoubtfulRegion,
    Evidence,
    all_doubts,
    panel_of,
)
from NoisyLabelSegLib.review.active.suggestions import Suggestion, suggest
from NoisyLabelSegLib.review.case_work import CaseFindings, CaseWork
from NoisyLabelSegLib.review.compare.mistakes import Mistake
from NoisyLabelSegLib.review.compare.options import ReviewOptions
from NoisyLabelSegLib.review.compare.statistics import AnnotatorStatistics
from NoisyLabelSegLib.review.compare.summary import AnnotatorSummary, summarize
from NoisyLabelSegLib.review.reference import Reference
from NoisyLabelSegLib.review.report.gallery import Gallery, SlicePicture
from NoisyLabelSegLib.review.report.slices import CaseSlices
from NoisyLabelSegLib.review.truths import TruthOf


@dataclass(frozen=True)
class StudyReview:
    """`cases` are the ids in the study's order; each annotator's statistics are in the order they were drawn.

    `truth` says in words what the annotators were compared with; `left_out` are the ids of cases without a truth.
    `failed` are those that were left out because of unusable files.
    `reliability` is a sentence where the reference is a fusion of too few labels to tell how reliable annotators are.
    `confusion` is (L, L) per annotator, columns summing to one. Pictures are of all annotators, or of the worst of one.
    `slices` are what reports scroll through, a case each; `dated` are the annotators whose readings have dates.
    """

    name: str
    classes: tuple[str, ...]
    annotators: tuple[str, ...]
    cases: tuple[str, ...]
    left_out: tuple[str, ...]
    failed: tuple[Failure, ...]
    truth: str
    reliability: str
    settings: ReviewOptions
    statistics: tuple[AnnotatorStatistics, ...]
    mistakes: tuple[Mistake, ...]
    summaries: tuple[AnnotatorSummary, ...]
    confusion: Mapping[str, NDArray[np.float64]]
    suggestions: tuple[Suggestion, ...]
    regions: Mapping[str, tuple[DoubtfulRegion, ...]]
    pictures: tuple[SlicePicture, ...]
    pictures_of: Mapping[str, tuple[SlicePicture, ...]]
    slices: tuple[CaseSlices, ...]
    dated: tuple[str, ...]
    reference: Reference

    @property
    def reviewed(self) -> int:
        """How many cases were compared with a truth."""
        return len(self.cases) - len(self.left_out) - len(self.failed)

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


def review_study(
    study: Study,
    truth_of: TruthOf,
    folder: Path,
    *,
    truth_name: str,
    settings: ReviewOptions | None = None,
    costs: Mapping[str, float] | None = None,
    reference: Reference | None = None,
    run: Map = map,
    failures: Failures | None = None,
    report: Report = silent,
) -> StudyReview:
    """Compares every annotator with the truth of every case that has one; the maps go to `folder/<case id>/`.

    `run` is a map that may work on several cases at once; `failures` says what to do about unusable cases.
    """
    settings, failures = settings or ReviewOptions(), failures or Failures()
    findings = _Findings(study, settings)
    cases = failures.without(study.cases)
    numbers = {case.id: number for number, case in enumerate(study.cases, start=1)}
    work = CaseWork(replace(study, cases=()), truth_of, folder, settings, numbers)
    for found in failures.sift(steps(run(failures.guard(work), cases), "review", report, total=len(cases))):
        findings.add(found)
    failures.without(cases)
    if len(findings.left_out) == len(cases):
        raise UserError(f"Nobody labeled any case of the study {study.name}", remedy="give a folder of truths")
    return findings.result(truth_name, reference or Reference(), costs or {}, tuple(failures.found))


@dataclass
class _Findings:
    """What has been found so far."""

    study: Study
    settings: ReviewOptions
    left_out: list[str] = field(default_factory=list)
    statistics: list[AnnotatorStatistics] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    confusion: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    slices: list[CaseSlices] = field(default_factory=list)
    panels: list[tuple[str, ...]] = field(default_factory=list)
    """The annotators whose labels the reference of each case was fused from, where it was."""

    def __post_init__(self) -> None:
        self._worst = Gallery(self.settings.pictures)
        self._worst_of = {name: Gallery(self.settings.pictures) for name in self.study.annotators}

    def add(self, found: CaseFindings) -> None:
        if found.evidence is not None:
            self.evidence.append(found.evidence)
        if found.review is None:
            self.left_out.append(found.case)
            return
        self.statistics += found.review.statistics
        self.mistakes += found.review.mistakes
        if found.fused_from is not None:
            self.panels.append(found.fused_from.annotators)
        for name, counts in found.review.confusion.items():
            self.confusion[name] = self.confusion.get(name, 0) + counts
        if found.slices is not None:
            self.slices.append(found.slices)
        self._worst.offer(found.worst)
        for name, pictures in found.worst_of.items():
            self._worst_of[name].offer(pictures)

    def result(
        self, truth_name: str, reference: Reference, costs: Mapping[str, float], failed: tuple[Failure, ...]
    ) -> StudyReview:
        study = self.study
        panel = panel_of(self.evidence)
        dated = _dated(study)
        ordered = _as_drawn(self.statistics, study, dated)
        left_out = tuple(self.left_out)
        suggested = suggest(all_doubts(self.evidence, panel, study.annotators), panel, study.annotators, costs)
        second_looks = not remark_on_panels(case.annotators for case in study.cases)
        return StudyReview(
            name=study.name,
            classes=study.classes,
            annotators=study.annotators,
            cases=tuple(case.id for case in study.cases),
            left_out=left_out,
            failed=failed,
            truth=truth_name,
            reliability=remark_on_panels(self.panels) if self.panels else "",
            settings=self.settings,
            statistics=tuple(ordered),
            mistakes=tuple(sorted(self.mistakes, key=lambda mistake: -mistake.size)),
            summaries=tuple(_summaries(ordered, self.settings, dated)),
            confusion={name: _columns_to_one(counts) for name, counts in self.confusion.items()},
            suggestions=tuple(item for item in suggested if second_looks or not item.again),
            regions={item.case: item.regions for item in self.evidence},
            pictures=tuple(self._worst.pictures()),
            pictures_of={name: tuple(gallery.pictures()) for name, gallery in self._worst_of.items()},
            slices=tuple(self.slices),
            dated=dated,
            reference=reference,
        )


def _dated(study: Study) -> tuple[str, ...]:
    """The annotators with a date for every case that they labeled, unless it is the same one for all."""
    times: dict[str, set[str | None]] = {}
    for case in study.cases:
        for name, annotation in case.annotations.items():
            times.setdefault(name, set()).add(_when(annotation))
    return tuple(name for name in study.annotators if len(times.get(name, ())) > 1 and None not in times[name])


def _when(annotation: Annotation) -> str | None:
    """The time at which the reading was started or, where only that is known, its date."""
    started = annotation.extra.get("started")
    return started if isinstance(started, str) else annotation.date


def _as_drawn(statistics: list[AnnotatorStatistics], study: Study, dated: Sequence[str]) -> list[AnnotatorStatistics]:
    """By date for an annotator with dates, else in the study's order; annotators in theirs."""
    places = {case.id: place for place, case in enumerate(study.cases)}
    dates = {(case.id, name): _when(item) for case in study.cases for name, item in case.annotations.items()}

    def order(row: AnnotatorStatistics) -> tuple[int, str, int]:
        date = dates[row.case, row.annotator] if row.annotator in dated else None
        return study.annotators.index(row.annotator), date or "", places[row.case]

    return sorted(statistics, key=order)


def _summaries(
    rows: list[AnnotatorStatistics], settings: ReviewOptions, dated: Sequence[str]
) -> list[AnnotatorSummary]:
    groups: dict[tuple[str, str], list[AnnotatorStatistics]] = {}
    for row in rows:
        groups.setdefault((row.annotator, row.label), []).append(row)
    return [summarize(group, settings, dated=name in dated) for (name, _), group in groups.items()]


def _columns_to_one(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """p(says i | truth is j); a class that never occurs leaves its column at 1/L."""
    totals = counts.sum(axis=0, keepdims=True)
    return np.where(totals > 0, counts / np.maximum(totals, 1), 1 / len(counts))
