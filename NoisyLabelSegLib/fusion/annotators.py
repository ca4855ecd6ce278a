"""What a fusion says about the annotators, with 95 % confidence intervals, as CSV and JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import stdtrit

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.cases.estimates import ANNOTATORS_CSV, ANNOTATORS_JSON
from NoisyLabelSegLib.fusion.table import Floats
from NoisyLabelSegLib.output import csv_text, write_text

_TWO_SIDED = 0.975


class ShareSums:
    """Adds up, case by case and in constant memory, shares p(says i | truth j) and how much cases differ in them.

    Voxels of one case err together, so the case is the unit: the variance is that of a ratio of sums over cases.
    """

    def __init__(self) -> None:
        self._cases: Floats = np.zeros(())
        self._said: Floats = np.zeros(())
        self._squares: Floats = np.zeros(())
        self._products: Floats = np.zeros(())
        self._total_squares: Floats = np.zeros(())

    def add(self, counts: Floats) -> None:
        """Counts (..., i, j) of one case: voxels in which i is said while j is true."""
        totals = np.broadcast_to(counts.sum(axis=-2, keepdims=True), counts.shape)
        self._cases = self._cases + (totals > 0)
        self._said = self._said + counts
        self._squares = self._squares + counts**2
        self._products = self._products + counts * totals
        self._total_squares = self._total_squares + totals**2

    def shares(self) -> Floats:
        """(..., i, j): the share over all cases, NaN where j never occurs."""
        return np.asarray(self._said / self._totals())

    def interval(self) -> tuple[Floats, Floats]:
        """The lower and upper end of every share's 95 % interval (Wilson's, with the cases' effective number).

        A class that occurs in one case only has its voxels as the unit, which makes the interval too narrow.
        """
        share, totals, cases = self.shares(), self._totals(), self._cases
        spread = self._squares - 2 * share * self._products + share**2 * self._total_squares
        variance = spread * cases / np.maximum(cases - 1, 1) / totals**2
        varies = (cases > 1) & (variance > 1e-15)
        effective = np.where(cases > 1, cases, totals).astype(np.float64)
        np.divide(share * (1 - share), variance, out=effective, where=varies)
        return _wilson(share, effective, np.where(cases > 1, stdtrit(np.maximum(cases - 1, 1), _TWO_SIDED), 1.96))

    def _totals(self) -> Floats:
        """(..., i, j): the voxels in which j is true, NaN for none."""
        totals = np.broadcast_to(self._said.sum(axis=-2, keepdims=True), self._said.shape)
        return np.where(totals > 0, totals, np.nan)


def _wilson(share: Floats, number: Floats, quantile: Floats) -> tuple[Floats, Floats]:
    square = quantile**2 / number
    center = (share + square / 2) / (1 + square)
    half = np.sqrt(share * (1 - share) * square + square**2 / 4) / (1 + square)
    return np.clip(center - half, 0, 1), np.clip(center + half, 0, 1)


FORMAT = "noisylabelseg-annotators/1"


@dataclass(frozen=True)
class CaseRecord:
    """What one fused case adds to the table; `counts` (R, L, L) are its voxels: says i while the truth is j."""

    id: str
    remarks: tuple[str, ...]
    iterations: int
    converged: bool
    counts: Floats


class AnnotatorTable:
    """Collects the cases of a study one by one and says how each annotator did over all of them."""

    def __init__(self, study: Study, method: str, options: Mapping[str, Any], *, pooled: bool) -> None:
        self.study, self.classes, self.names = study.name, study.classes, study.annotators
        self.method, self.options, self.pooled = method, dict(options), pooled
        self.labeled = {name: sum(name in case.annotations for case in study.cases) for name in study.annotators}
        self.cases: list[CaseRecord] = []
        self.left_out: list[str] = []
        self._shares, self._foreground = ShareSums(), ShareSums()

    def add(self, record: CaseRecord) -> None:
        """Counts one more case; of its voxels only the sums are kept."""
        self._shares.add(record.counts)
        self._foreground.add(_foreground(record.counts))
        self.cases.append(CaseRecord(record.id, record.remarks, record.iterations, record.converged, np.zeros(0)))

    def rows(self) -> list[dict[str, Any]]:
        """One row per annotator: how much foreground was found and background left alone, each with its interval."""
        rows: list[dict[str, Any]] = []
        for number, name in enumerate(self.names):
            row: dict[str, Any] = {"annotator": name, "cases": self.labeled[name]}
            row |= _figure("sensitivity", self._foreground, (number, 1, 1))
            row |= _figure("specificity", self._foreground, (number, 0, 0))
            for label, title in enumerate(self.classes[1:] if len(self.classes) > 2 else (), start=1):
                row |= _figure(f"sensitivity_{title}", self._shares, (number, label, label))
            row["remarks"] = self._remarks(number)
            rows.append(row)
        return rows

    def content(self) -> dict[str, Any]:
        """Everything, ready for JSON: `confusion[i][j]` is p(says class i | truth is class j)."""
        shares, (low, high) = self._shares.shares(), self._shares.interval()
        annotators = [
            {
                **row,
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
            "interval": self.interval,
            "annotators": annotators,
            "cases": [
                {"id": case.id, "iterations": case.iterations, "converged": case.converged, "remarks": case.remarks}
                for case in self.cases
            ],
            "left_out": self.left_out,
        }

    @property
    def interval(self) -> str:
        """What the ends of the intervals mean, for people."""
        if len(self.cases) > 1:
            return "95 %, from the differences between cases, taking the estimated truth as right"
        return "95 %, as if voxels erred independently: too narrow, because there is only one case"

    def write(self, folder: Path) -> None:
        """Writes `annotators.csv` and `annotators.json` into the folder."""
        rows = [{**row, "remarks": " ".join(row["remarks"])} for row in self.rows()]
        write_text(folder / ANNOTATORS_CSV, csv_text(rows))
        write_text(folder / ANNOTATORS_JSON, json.dumps(self.content(), indent=1, ensure_ascii=False) + "\n")

    def _remarks(self, number: int) -> list[str]:
        evidence = np.isfinite(self._shares.shares()[number]).all(axis=0)
        unknown = [title for title, known in zip(self.classes, evidence, strict=True) if not known]
        if len(unknown) == len(self.classes):
            return [f"{self.names[number]} labeled none of these cases."]
        return [f"No voxel is {title} where {self.names[number]} looked, so nothing is known." for title in unknown]


def _figure(name: str, shares: ShareSums, place: tuple[int, int, int]) -> dict[str, float | None]:
    low, high = shares.interval()
    ends = {name: shares.shares()[place], f"{name}_low": low[place], f"{name}_high": high[place]}
    return {key: _number(value) for key, value in ends.items()}


def _foreground(counts: Floats) -> Floats:
    """(R, L, L) as (R, 2, 2): background against every other class together."""
    rows = np.stack([counts[:, 0], counts[:, 1:].sum(axis=1)], axis=1)
    return np.stack([rows[:, :, 0], rows[:, :, 1:].sum(axis=2)], axis=2)


def _nested(values: Floats) -> list[list[float | None]]:
    return [[_number(value) for value in row] for row in values]


def _number(value: float) -> float | None:
    return round(float(value), 6) if np.isfinite(value) else None
