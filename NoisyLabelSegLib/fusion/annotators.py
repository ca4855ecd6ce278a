"""The figures of each annotator, counted against the written truth, beside what the method estimates; CSV and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.cases.estimates import ANNOTATORS_CSV, ANNOTATORS_JSON
from NoisyLabelSegLib.failures import Failure
from NoisyLabelSegLib.fusion.leave_one_out import FusedFrom
from NoisyLabelSegLib.fusion.reliability import reliability_remark
from NoisyLabelSegLib.fusion.share_sums import ShareSums
from NoisyLabelSegLib.fusion.table import Floats
from NoisyLabelSegLib.metrics.figures import ALL_CLASSES, NEAR_MM, figures, ratio, sizes
from NoisyLabelSegLib.metrics.resampling import ClusterBootstrap
from NoisyLabelSegLib.output import csv_text, write_text

FORMAT = "noisylabelseg-annotators/1"
COUNTED = ("sensitivity", "specificity", "precision", "dice", "dice_leave_one_out")
"""The figures that are counted in every case against the written truth, the last one without the own labels."""


@dataclass(frozen=True)
class CaseOutcome:
    """How the fusion of one case went."""

    id: str
    remarks: tuple[str, ...]
    iterations: int
    converged: bool


@dataclass(frozen=True)
class CaseRecord:
    """What one fused case adds to the table.

    counts: (R, L, L + 1) voxels: says i where the written truth is j, as `Votes.counts_against`.
    expected: (R, L, L) voxels: says i while the truth is j, as the method estimates it, in the region only.
    region, beyond: the voxels within NEAR_MM of anything marked, and those of the image farther away.
    """

    outcome: CaseOutcome
    counts: NDArray[np.int64]
    expected: Floats
    region: int
    beyond: int
    fused_from: FusedFrom


class AnnotatorTable:
    """Collects the cases of a study one by one and says how each annotator did over all of them."""

    def __init__(self, study: Study, method: str, options: Mapping[str, Any], *, pooled: bool) -> None:
        self.study, self.classes, self.names = study.name, study.classes, study.annotators
        self.method, self.options, self.pooled = method, dict(options), pooled
        self.labeled = {name: sum(name in case.annotations for case in study.cases) for name in study.annotators}
        self.reliability = reliability_remark(study)
        self.cases: list[CaseOutcome] = []
        self.left_out: list[str] = []
        self.failed: list[Failure] = []
        self._patients = {case.id: case.patient or case.id for case in study.cases}
        self._values: dict[tuple[str, int, str], dict[str, float]] = {}
        shape = (len(self.names), len(self.classes), len(self.classes))
        self._counts, self._expected = np.zeros(shape, dtype=np.int64), np.zeros(shape)
        self._shares = ShareSums()
        self._bootstrap: ClusterBootstrap | None = None

    def add(self, record: CaseRecord) -> None:
        """Counts one more case; of its voxels only the figures and sums are kept."""
        beyond = np.zeros_like(record.expected)
        for number, name in enumerate(self.names):
            if name not in record.fused_from.annotators:
                continue
            for label in self._labels():
                found = asdict(figures(*sizes(record.counts[number], label), record.region))
                for figure, value in {**found, "dice_leave_one_out": record.fused_from.dice(name, label)}.items():
                    if value is not None:
                        self._values.setdefault((name, label, figure), {})[record.outcome.id] = value
            beyond[number, 0, 0] = record.beyond
            self._counts[number] += record.counts[number, :, :-1]
            self._counts[number, 0, 0] += record.region - record.counts[number].sum()
        self._expected += record.expected
        self._shares.add(record.expected + beyond)
        self.cases.append(record.outcome)
        self._bootstrap = None

    def rows(self) -> list[dict[str, Any]]:
        """One row per annotator, for the only class or for all classes together; see `class_rows` for each class."""
        last = self._labels()[-1]
        return [
            {
                "annotator": name,
                "cases": self.labeled[name],
                **self._figures(number, last),
                "remarks": self._remarks(number),
            }
            for number, name in enumerate(self.names)
        ]

    def class_rows(self) -> Iterator[dict[str, Any]]:
        """One flat row per annotator and class, all classes together last where there are several.

        `marked_as_<class>` is the share of the true class's voxels that the annotator gave this label.
        """
        for number, name in enumerate(self.names):
            for label in self._labels():
                yield {
                    "annotator": name,
                    "class": self._title(label),
                    "cases": self.labeled[name],
                    **self._figures(number, label),
                    **{f"marked_as_{title}": share for title, share in self._marked_as(number, label).items()},
                    "remarks": self._remarks(number),
                }

    def content(self) -> dict[str, Any]:
        """Everything, ready for JSON: `confusion[i][j]` is p(says class i | truth is class j)."""
        shares, (low, high) = self._shares.shares(), self._shares.interval()
        annotators = [
            {
                **row,
                "classes": [
                    {
                        "class": self._title(label),
                        **self._figures(number, label),
                        "marked_as": self._marked_as(number, label),
                    }
                    for label in self._labels()
                    if label < len(self.classes)
                ],
                "confusion": np.nan_to_num(shares[number], nan=1 / len(self.classes)).tolist(),
                "confusion_low": _nested(low[number]),
                "confusion_high": _nested(high[number]),
            }
            for number, row in enumerate(self.rows())
        ]
        return {
            "format": FORMAT,
            "study": self.study,
            "method": self.method,
            "options": self.options,
            "pooled": self.pooled,
            "classes": list(self.classes),
            "specificity_region_mm": NEAR_MM,
            "interval": self.interval,
            "reliability": self.reliability,
            "annotators": annotators,
            "cases": [asdict(case) for case in self.cases],
            "left_out": self.left_out,
            "failed": [asdict(failure) for failure in self.failed],
        }

    @property
    def interval(self) -> str:
        """What the ends of the intervals mean, for people."""
        if len({self._patients[case.id] for case in self.cases}) > 1:
            return "95 % bootstrap interval over patients of the mean over cases, taking the written truth as right"
        return "none, because an interval needs several cases"

    def write(self, folder: Path) -> None:
        """Writes `annotators.csv` and `annotators.json` into the folder."""
        rows = [{**row, "remarks": " ".join(row["remarks"])} for row in self.class_rows()]
        write_text(folder / ANNOTATORS_CSV, csv_text(rows))
        write_text(folder / ANNOTATORS_JSON, json.dumps(self.content(), indent=1, ensure_ascii=False) + "\n")

    def _labels(self) -> list[int]:
        """The foreground classes, and one more for all of them together where there are several."""
        return list(range(1, len(self.classes) + (len(self.classes) > 2)))

    def _title(self, label: int) -> str:
        return self.classes[label] if label < len(self.classes) else ALL_CLASSES

    def _figures(self, number: int, label: int) -> dict[str, float | None]:
        row: dict[str, float | None] = {}
        self._bootstrap = bootstrap = self._bootstrap or ClusterBootstrap(
            [self._patients[case.id] for case in self.cases]
        )
        for figure in COUNTED:
            values = self._values.get((self.names[number], label, figure), {})
            mean = bootstrap.mean([values.get(case.id, np.nan) for case in self.cases])
            row |= {
                figure: _number(mean.value),
                f"{figure}_low": _number(mean.low),
                f"{figure}_high": _number(mean.high),
            }
        expected = self._expected[number]
        both, marked, true = sizes(expected, label)
        row["estimated_sensitivity"] = _share(both, true)
        row["estimated_specificity"] = _share(expected.sum() - marked - true + both, expected.sum() - true)
        return row

    def _marked_as(self, number: int, label: int) -> dict[str, float | None]:
        """What the voxels of a true class, or of all but background, were labeled as, in shares over all cases."""
        chosen = slice(label, label + 1) if label < len(self.classes) else slice(1, None)
        voxels = self._counts[number, :, chosen].sum(axis=1)
        return {title: _share(part, voxels.sum()) for title, part in zip(self.classes, voxels, strict=True)}

    def _remarks(self, number: int) -> list[str]:
        name, known = self.names[number], self._counts[number].any(axis=0)
        if not self._counts[number].any():
            return [f"{name} labeled none of these cases."]
        unknown = [title for title, here in zip(self.classes, known, strict=True) if not here]
        return [f"No voxel is {title} where {name} looked, so nothing is known." for title in unknown]


def _nested(values: Floats) -> list[list[float | None]]:
    return [[_number(value) for value in row] for row in values]


def _share(part: float, whole: float) -> float | None:
    share = ratio(float(part), float(whole))
    return None if share is None else _number(share)


def _number(value: float) -> float | None:
    return round(float(value), 6) if np.isfinite(value) else None
