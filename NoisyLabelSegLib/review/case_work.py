"""Reviews one case of a study, perhaps in another process, and keeps of it only what tables and reports need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Case, Study
from NoisyLabelSegLib.cases.estimates import EstimateWriter
from NoisyLabelSegLib.fusion.leave_one_out import FusedFrom
from NoisyLabelSegLib.metrics.confusion import expected_errors
from NoisyLabelSegLib.review.active.evidence import Evidence, blank_evidence, gather_evidence
from NoisyLabelSegLib.review.compare.case import CaseReview, review_case
from NoisyLabelSegLib.review.compare.error_map import error_map_of_class
from NoisyLabelSegLib.review.compare.options import ReviewOptions
from NoisyLabelSegLib.review.report.gallery import SlicePicture, worst_slices
from NoisyLabelSegLib.review.report.slices import CaseSlices, slices_of_case
from NoisyLabelSegLib.review.truths import Truth, TruthOf

Labels = Mapping[str, NDArray[np.uint8]]


@dataclass(frozen=True)
class CaseFindings:
    """What one case adds to the review; `review` is None where the case has no truth, and has no error maps."""

    case: str
    review: CaseReview | None
    fused_from: FusedFrom | None = None
    evidence: Evidence | None = None
    worst: tuple[SlicePicture, ...] = ()
    worst_of: Mapping[str, tuple[SlicePicture, ...]] = field(default_factory=dict)
    slices: CaseSlices | None = None


@dataclass(frozen=True)
class CaseWork:
    """Reviews one case and writes its maps, perhaps in another process; `panel` is the study without its cases."""

    panel: Study
    truth_of: TruthOf
    folder: Path
    settings: ReviewOptions
    numbers: Mapping[str, int]

    def __call__(self, case: Case) -> CaseFindings:
        truth = self.truth_of(case)
        blank = None if case.annotations else self._blank(case, truth)
        if truth is None:
            return CaseFindings(case.id, None, evidence=blank)
        labels = {name: array for name in case.annotators if (array := case.labels(name)) is not None}
        review = review_case(
            labels,
            truth.labels,
            case.geometry,
            classes=self.panel.classes,
            case=case.id,
            settings=self.settings,
            fused_from=truth.fused_from,
        )
        _write_maps(self.folder / case.id, self.panel, case, labels, truth, review)
        kept = replace(review, error_maps={})
        if not labels:
            return CaseFindings(case.id, kept, truth.fused_from, blank)
        evidence = gather_evidence(
            case.id,
            labels,
            review.confusion,
            case.geometry,
            annotators=self.panel.annotators,
            classes=len(self.panel.classes),
        )
        image = case.first_channel() if case.images and self.settings.pictures else None
        worst, worst_of = self._pictures(case, labels, truth, review, image)
        slices = None
        if self.settings.pictures:
            slices = slices_of_case(
                case.id, labels, truth.labels, image, case.geometry, review.mistakes, cases=len(self.numbers)
            )
        return CaseFindings(case.id, kept, truth.fused_from, evidence, worst, worst_of, slices)

    def _blank(self, case: Case, truth: Truth | None) -> Evidence:
        """A case that nobody labeled yet may be the one to label next."""
        return blank_evidence(
            case.id,
            None if truth is None else truth.probabilities,
            case.geometry,
            annotators=len(self.panel.annotators),
            classes=len(self.panel.classes),
        )

    def _pictures(
        self, case: Case, labels: Labels, truth: Truth, review: CaseReview, image: NDArray[Any] | None
    ) -> tuple[tuple[SlicePicture, ...], dict[str, tuple[SlicePicture, ...]]]:
        """The worst slices over all annotators, and of each."""
        if not self.settings.pictures:
            return (), {}
        count = -(-self.settings.pictures // len(self.numbers))

        def worst(maps: Mapping[str, NDArray[np.uint8]]) -> tuple[SlicePicture, ...]:
            number = self.numbers[case.id]
            return tuple(worst_slices(number, case.id, maps, image, truth.labels, labels, case.geometry, count))

        return worst(review.error_maps), {name: worst({name: codes}) for name, codes in review.error_maps.items()}


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
