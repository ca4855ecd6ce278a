"""A case for a review in another process, and the review on its way back: plain files in a folder, quick to write."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.leave_one_out import FusedFrom
from NoisyLabelSegLib.progress import Report, silent
from NoisyLabelSegLib.review.compare.case import CaseReview, review_case
from NoisyLabelSegLib.review.compare.mistakes import Mistake, MistakeKind
from NoisyLabelSegLib.review.compare.options import Units
from NoisyLabelSegLib.review.compare.statistics import AnnotatorStatistics

QUESTION, TRUTH, ANSWER = "case.json", "truth.npy", "review.json"


def write_question(
    folder: Path,
    labels: Mapping[str, NDArray[np.uint8]],
    truth: NDArray[np.uint8],
    geometry: Geometry,
    *,
    classes: Sequence[str],
    case: str,
    fused_from: FusedFrom | None = None,
) -> Iterator[None]:
    """Writes what review_case() wants to know, one array (*shape) a step."""
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / TRUTH, truth)
    for place, array in enumerate(labels.values()):
        yield
        np.save(folder / f"labels_{place}.npy", array)
    content = {
        "case": case,
        "classes": list(classes),
        "annotators": list(labels),
        "geometry": asdict(geometry),
        "fused_from": None if fused_from is None else list(fused_from.annotators),
        "fused_by": "" if fused_from is None else fused_from.method,
        "leave_one_out": {} if fused_from is None else {name: n.tolist() for name, n in fused_from.counts.items()},
    }
    (folder / QUESTION).write_text(json.dumps(content), encoding="utf-8")


def read_question(folder: Path) -> tuple[dict[str, NDArray[np.uint8]], NDArray[np.uint8], Geometry]:
    """The labels, the truth and the grid of a case that write_question() has left."""
    content = json.loads((folder / QUESTION).read_text(encoding="utf-8"))
    labels = {name: np.load(folder / f"labels_{place}.npy") for place, name in enumerate(content["annotators"])}
    geometry = Geometry(**{name: tuple(value) for name, value in content["geometry"].items()})
    return labels, np.load(folder / TRUTH), geometry


def review_folder(question: Path, answer: Path, *, report: Report = silent) -> None:
    """Does the review of a folder that write_question() has filled; what it finds goes into the folder `answer`."""
    content = json.loads((question / QUESTION).read_text(encoding="utf-8"))
    review = review_case(
        *read_question(question),
        classes=content["classes"],
        case=content["case"],
        fused_from=_fused_from(content),
        report=report,
    )
    for place, codes in enumerate(review.error_maps.values()):
        np.save(answer / f"codes_{place}.npy", codes)
    found = {
        "case": review.case,
        "statistics": [asdict(row) for row in review.statistics],
        "mistakes": [{**asdict(mistake), "kind": mistake.kind.value} for mistake in review.mistakes],
        "confusion": {name: counts.tolist() for name, counts in review.confusion.items()},
    }
    (answer / ANSWER).write_text(json.dumps(found), encoding="utf-8")


def read_answer(folder: Path) -> CaseReview:
    """The review that review_folder() left; error maps (*shape) uint8 stay on the disk until they are looked at."""
    try:
        content = json.loads((folder / ANSWER).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError("holds no review", file=folder, remedy="review the case again", detail=str(error)) from error
    names = list(content["confusion"])
    return CaseReview(
        content["case"],
        tuple(_statistics(row) for row in content["statistics"]),
        tuple(_mistake(row) for row in content["mistakes"]),
        {name: np.load(folder / f"codes_{place}.npy", mmap_mode="r") for place, name in enumerate(names)},
        {name: np.array(counts, dtype=np.int64) for name, counts in content["confusion"].items()},
    )


def _fused_from(content: dict[str, Any]) -> FusedFrom | None:
    if content["fused_from"] is None:
        return None
    counts = {name: np.array(table, dtype=np.int64) for name, table in content["leave_one_out"].items()}
    return FusedFrom(tuple(content["fused_from"]), counts, content["fused_by"])


def _statistics(row: dict[str, Any]) -> AnnotatorStatistics:
    return AnnotatorStatistics(**{**row, "units": Units(**row["units"])})


def _mistake(row: dict[str, Any]) -> Mistake:
    tuples = {name: tuple(row[name]) for name in ("extent", "center", "shared_with", "bounds")}
    return Mistake(**{**row, **tuples, "kind": MistakeKind(row["kind"]), "units": Units(**row["units"])})
