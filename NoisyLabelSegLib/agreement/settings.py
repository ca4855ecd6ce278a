"""What can be chosen about agreement statistics."""

from __future__ import annotations

import math
from dataclasses import dataclass

from NoisyLabelSegLib.fusion import DEFAULT, METHODS


@dataclass(frozen=True)
class AgreementSettings:
    """How agreement is measured.

    method: the fusion method that makes a consensus, case by case.
    tolerance_mm: borders that are no further apart than this agree (surface Dice).
    margin_mm: kappa and alpha are computed on the voxels that are no further than this, along every axis, from a voxel
        that any reader marked.
    match_iou: two objects are the same one where their IoU is above this.
    resamples, seed: of the bootstrap over patients.
    """

    method: str = DEFAULT
    tolerance_mm: float = 2.0
    margin_mm: float = 5.0
    match_iou: float = 0.5
    resamples: int = 2000
    seed: int = 0

    def problems(self) -> list[str]:
        """What is wrong with the values, one sentence each."""
        found = []
        if self.method not in METHODS:
            found.append(f"there is no fusion method {self.method!r}; choose one of {', '.join(METHODS)}")
        for name, value in (("tolerance", self.tolerance_mm), ("margin", self.margin_mm)):
            if not (math.isfinite(value) and value >= 0):
                found.append(f"the {name} must be 0 mm or more")
        if not 0 <= self.match_iou < 1:
            found.append("the IoU above which objects match must be at least 0 and below 1")
        if self.resamples < 100:
            found.append("the bootstrap needs at least 100 resamples")
        return found
