"""Which settings make sense, said in words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

TARGETS = ("coupled", "majority", "mean", "staple", "spatial-staple", "truth")
_CHOICES = {
    "target": TARGETS,
    "confusion": ("pixel", "low-rank", "global", "oracle-cm"),
    "likelihood": ("each", "joint"),
    "normalization": ("z-score", "window"),
    "schedule": ("cosine", "constant"),
    "dimensions": (2, 3),
    "axis": (0, 1, 2),
    "device": ("auto", "cpu", "cuda", "mps"),
    "precision": ("32-true", "16-mixed", "bf16-mixed"),
}
_RANGES: dict[str, tuple[float, float]] = {
    "rank": (1, 256),
    "reliability": (0, 1e3),
    "completion": (0, 1e3),
    "as_given": (0, 1),
    "overlap": (0, 1e3),
    "trace": (0, 1e3),
    "hinge": (0, 1e3),
    "margin": (0, 1),
    "start_diagonal": (0.01, 0.999),
    "freeze": (0, 1),
    "identity_warm_up": (0, 1),
    "patch": (0, 4096),
    "foreground": (0, 1),
    "shift": (0, 4096),
    "brightness": (0, 10),
    "epochs": (1, 100_000),
    "samples": (0, 10_000_000),
    "batch": (1, 4096),
    "learning_rate": (1e-8, 1),
    "warm_up": (0, 0.9),
    "weight_decay": (0, 1),
    "validation": (0, 0.9),
    "patience": (0, 100_000),
    "restarts": (0, 10),
    "seed": (0, 2**31 - 1),
    "accumulate": (1, 4096),
    "workers": (0, 256),
    "memory_gb": (0, 4096),
}


def setting_problems(values: Mapping[str, Any]) -> list[str]:
    """What is wrong with a full set of values, in words."""
    problems = [
        f"{name} must be one of {', '.join(map(str, allowed))}, not {values[name]}"
        for name, allowed in _CHOICES.items()
        if values[name] not in allowed
    ]
    problems += [
        f"{name} must be from {low:g} to {high:g}, not {values[name]:g}"
        for name, (low, high) in _RANGES.items()
        if not (math.isfinite(values[name]) and low <= values[name] <= high)
    ]
    if not values["widths"] or not all(isinstance(width, int) and 1 <= width <= 4096 for width in values["widths"]):
        problems.append("widths must be whole numbers from 1 to 4096")
    if len(values["window"]) != 2 or not values["window"][0] < values["window"][1]:
        problems.append("window must be two numbers, the lower one first")
    if values["spacing"] and (len(values["spacing"]) not in (2, 3) or min(values["spacing"]) < 0):
        problems.append("spacing must be empty, or two or three numbers in millimeters, 0 for an axis that stays")
    return problems
