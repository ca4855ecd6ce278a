"""Fuses several annotators' segmentations of the same scans and estimates each annotator's errors.

Importing this package loads none of its parts; each public name is imported when it is first used, and only `train` and
`load_model` need PyTorch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from NoisyLabelSegLib.api import evaluate, fuse_study, load_model, review_study, simulate, train
    from NoisyLabelSegLib.cases import Case, Study
    from NoisyLabelSegLib.fusion import fuse

__version__ = "0.1.0"
__all__ = ["Case", "Study", "evaluate", "fuse", "fuse_study", "load_model", "review_study", "simulate", "train"]

_MODULES = {
    "Case": "cases",
    "Study": "cases",
    "fuse": "fusion",
    **dict.fromkeys(("evaluate", "fuse_study", "load_model", "review_study", "simulate", "train"), "api"),
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
