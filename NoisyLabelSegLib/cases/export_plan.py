"""What every kind of export is given: a case with the truth that goes with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases.case import Case
from NoisyLabelSegLib.cases.study_rules import file_name_part

TEST_SPLITS = ("test",)


@dataclass(frozen=True)
class ExportedCase:
    """A case, its truth (*shape) uint8 and class probabilities (L, *shape) where known, and its provenance."""

    case: Case
    truth: NDArray[np.uint8] | None = None
    probabilities: NDArray[Any] | None = None
    provenance: Mapping[str, Any] = field(default_factory=dict)


def exported_name(name: str) -> str:
    """A case, reader or class as part of a file name without blanks."""
    return file_name_part(name).replace(" ", "_")
