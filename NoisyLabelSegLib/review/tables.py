"""Statistics and mistakes as rows for CSV and JSON files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from itertools import zip_longest
from typing import Any

from NoisyLabelSegLib.review.active.evidence import DoubtfulRegion
from NoisyLabelSegLib.review.active.suggestions import Suggestion
from NoisyLabelSegLib.review.compare.mistakes import Mistake
from NoisyLabelSegLib.review.compare.statistics import FIGURES, AnnotatorStatistics
from NoisyLabelSegLib.review.compare.summary import AnnotatorSummary

_AXES = ("x", "y", "z")
MISTAKE_COLUMNS = (
    *("case", "annotator", "kind", "true_class", "drawn_class", "size", "size_unit", "depth"),
    *("extent_x", "extent_y", "extent_z", "length_unit", "first_slice", "last_slice"),
    *("center_x_lps", "center_y_lps", "center_z_lps", "side", "shared_with", "sentence"),
)

SUGGESTION_COLUMNS = (
    *("rank", "case", "annotator", "labeled_before", "in_doubt", "settles", "size_unit", "cost", "settles_per_cost"),
    *("region_size", "region_slice", "region_x_lps", "region_y_lps", "region_z_lps", "sentence"),
)


def statistics_row(row: AnnotatorStatistics) -> dict[str, Any]:
    """One flat line of the statistics; the agreement with others is their mean here and whole in the JSON file."""
    agreement = list(row.agreement.values())
    return {
        "case": row.case,
        "annotator": row.annotator,
        "class": row.label,
        **{name: getattr(row, name) for name in FIGURES},
        "mean_agreement": sum(agreement) / len(agreement) if agreement else None,
        "unit": row.units.length,
    }


def mistake_row(mistake: Mistake, sentence: str) -> dict[str, Any]:
    """One flat line of the list of mistakes; positions are LPS, as everywhere in files."""
    return {
        "case": mistake.case,
        "annotator": mistake.annotator,
        "kind": mistake.kind.value,
        "true_class": mistake.true_class,
        "drawn_class": mistake.drawn_class,
        "size": mistake.size,
        "size_unit": mistake.units.size,
        "depth": mistake.depth,
        **{f"extent_{axis}": value for axis, value in zip_longest(_AXES, mistake.extent)},
        "length_unit": mistake.units.length,
        "first_slice": mistake.first_slice,
        "last_slice": mistake.last_slice,
        **_position("center", mistake.center),
        "side": mistake.side,
        "shared_with": "; ".join(mistake.shared_with),
        "sentence": sentence,
    }


def suggestion_row(
    suggestion: Suggestion, rank: int, regions: Sequence[DoubtfulRegion], sentence: str
) -> dict[str, Any]:
    """One flat line of the suggestions; the region is where the case is most in doubt."""
    region = regions[0] if regions else None
    return {
        "rank": rank,
        "case": suggestion.case,
        "annotator": suggestion.annotator,
        "labeled_before": suggestion.again,
        "in_doubt": suggestion.doubt,
        "settles": suggestion.settles,
        "size_unit": suggestion.units.size,
        "cost": suggestion.cost,
        "settles_per_cost": suggestion.value,
        "region_size": None if region is None else region.size,
        "region_slice": None if region is None else region.slice,
        **_position("region", region.center if region else ()),
        "sentence": sentence,
    }


def summary_entry(summary: AnnotatorSummary, sentence: str, trend: str) -> dict[str, Any]:
    """Everything known about an annotator over the study."""
    return {
        "annotator": summary.annotator,
        "class": summary.label,
        "sentence": sentence,
        "trend": trend,
        "cases": summary.cases,
        "objects": summary.objects,
        "missed_objects": summary.missed_objects,
        "drawn_objects": summary.drawn_objects,
        "invented_objects": summary.invented_objects,
        "agreement": dict(summary.agreement),
        "figures": {name: asdict(figure) for name, figure in summary.figures.items()},
        "trends": {name: asdict(figure) for name, figure in summary.trends.items()},
    }


def json_text(content: Any) -> str:
    """Strict JSON: what does not exist is null."""
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _position(what: str, point: Sequence[float]) -> dict[str, float | None]:
    """Three columns, the last one empty in 2D."""
    return {f"{what}_{axis}_lps": value for axis, value in zip_longest(_AXES, point)}
