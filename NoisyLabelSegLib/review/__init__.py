"""Error maps, per-annotator statistics, mistakes in plain words, which label to add next, and the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from NoisyLabelSegLib.lazy import attach

if TYPE_CHECKING:
    from NoisyLabelSegLib.metrics.confusion import expected_errors
    from NoisyLabelSegLib.metrics.figures import ALL_CLASSES
    from NoisyLabelSegLib.review.active.suggestions import Doubt, Suggestion, suggest
    from NoisyLabelSegLib.review.compare.case import CaseReview, review_case
    from NoisyLabelSegLib.review.compare.error_map import ErrorCode, error_map, error_map_of_class
    from NoisyLabelSegLib.review.compare.mistakes import Mistake, MistakeKind
    from NoisyLabelSegLib.review.compare.options import ReviewOptions
    from NoisyLabelSegLib.review.compare.statistics import AnnotatorStatistics
    from NoisyLabelSegLib.review.compare.summary import AnnotatorSummary, Summary, Trend, summarize
    from NoisyLabelSegLib.review.files import write_review
    from NoisyLabelSegLib.review.report.page import ANNOTATORS, COLORBLIND, DEFAULT_COLORS, PAPER, Color, color_table
    from NoisyLabelSegLib.review.report.pages import annotator_report, study_report
    from NoisyLabelSegLib.review.sentences import (
        annotator_sentence,
        class_sentence,
        mistake_sentences,
        suggestion_sentence,
        trend_sentence,
    )
    from NoisyLabelSegLib.review.study import StudyReview

__getattr__, __all__ = attach(__name__, __file__)
