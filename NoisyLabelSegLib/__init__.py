"""Fuses several annotators' segmentations of the same scans and estimates each annotator's errors.

Importing this package loads none of its parts; each public name is imported when it is first used, and only `train` and
`load_model` need PyTorch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from NoisyLabelSegLib.lazy import attach

if TYPE_CHECKING:
    from NoisyLabelSegLib.api import evaluate, fuse_study, load_model, review_study, simulate, train
    from NoisyLabelSegLib.cases import Case, Study
    from NoisyLabelSegLib.fusion import fuse

__version__ = "0.1.0"
__getattr__, __all__ = attach(__name__, __file__)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
