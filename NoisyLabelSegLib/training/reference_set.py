"""What a study knows beside labels: a reference set of cases with curated truth, and annotators' experience."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.fusion.weighted_majority import capped

Floats = NDArray[np.float64]

FLOOR = 0.3
"""Keeps the weight of an annotator who never errs finite and the weights of good annotators alike."""


@dataclass(frozen=True)
class Knowledge:
    """Of each annotator: a factor from experience (mean 1), and errors counted in the cases with curated truth.

    experience: (R,); wrong, marked: voxels where the label differs from the curated truth, and where either marks
    something, (R,); curated: whether each training case has a curated truth.
    """

    experience: Floats
    wrong: Floats
    marked: Floats
    curated: tuple[bool, ...]

    @classmethod
    def of(
        cls, errors: Sequence[Floats | None], annotators: Sequence[str], years: Mapping[str, float], power: float
    ) -> Knowledge:
        """errors: of each training case what `errors_against` counted, None where its truth is not curated."""
        counted = [each for each in errors if each is not None]
        wrong, marked = np.sum(counted, axis=0) if counted else np.zeros((2, len(annotators)))
        known = tuple(each is not None for each in errors)
        return cls(experience_factors(annotators, years, power), wrong, marked, known)

    @property
    def weights(self) -> NDArray[np.float32]:
        """How much each annotator's label weighs where nothing else is known, (R,), mean 1; none has more than half."""
        judged = self.marked > 0
        if not judged.any():
            found = self.experience
        else:
            factor = 1 / (self.wrong / np.maximum(self.marked, 1) + FLOOR)
            found = self.experience * np.where(judged, factor, factor[judged].mean())
        found = capped(found) if len(found) > 2 else found
        return np.asarray(found / found.mean(), dtype=np.float32)


def errors_against(labels: NDArray[np.int16], truth: NDArray[np.int16]) -> Floats:
    """(2, R): voxels where a label differs from the truth, and where label or truth mark something.

    labels (R, *shape) and truth (*shape), negative where unknown, which is not counted.
    """
    flat, reference = labels.reshape(len(labels), -1), truth.reshape(-1)
    known = (flat >= 0) & (reference >= 0)
    wrong = (known & (flat != reference)).sum(axis=1)
    marked = (known & ((flat > 0) | (reference > 0))).sum(axis=1)
    return np.array([wrong, marked], dtype=np.float64)


def experience_factors(annotators: Sequence[str], years: Mapping[str, float], power: float) -> Floats:
    """(years + 1) to the power, relative to the mean of all; who is not listed has the mean."""
    known = {name: (1 + float(years[name])) ** power for name in annotators if name in years}
    mean = float(np.mean(list(known.values()))) if known else 1.0
    return np.array([known.get(name, mean) / mean for name in annotators])
