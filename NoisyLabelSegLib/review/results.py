"""Everything a review of a study found, as plain data: what the tables and reports are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.review.asking import Suggestion
from NoisyLabelSegLib.review.gallery import SlicePicture
from NoisyLabelSegLib.review.mistakes import Mistake
from NoisyLabelSegLib.review.regions import Region
from NoisyLabelSegLib.review.settings import ReviewSettings
from NoisyLabelSegLib.review.statistics import ALL_CLASSES, AnnotatorStatistics
from NoisyLabelSegLib.review.summary import AnnotatorSummary


@dataclass(frozen=True)
class StudyReview:
    """`cases` are the ids in the study's order; each annotator's statistics are in the order they were drawn.

    `truth` says in words what the annotators were compared with; `left_out` are the ids of cases without a truth.
    `confusion` is (L, L) per annotator, columns summing to one. Pictures are of all annotators, or of the worst of one.
    """

    name: str
    classes: tuple[str, ...]
    annotators: tuple[str, ...]
    cases: tuple[str, ...]
    left_out: tuple[str, ...]
    truth: str
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
        """The annotator over all classes, None for one who labelled none of the cases."""
        return self.of_class(annotator, self.labels[-1])

    def of_class(self, annotator: str, label: str) -> AnnotatorSummary | None:
        found = (item for item in self.summaries if item.annotator == annotator and item.label == label)
        return next(found, None)
