"""Training: settings and presets, learners with their objectives, samples, the loop and its checkpoints.

The names are imported when they are first used, so that settings can be read and checked without torch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from NoisyLabelSegLib.training.learners import register_learner
    from NoisyLabelSegLib.training.run import Trained, train_study
    from NoisyLabelSegLib.training.settings import Settings, preset, preset_names

_MODULES = {
    "Settings": "settings",
    "Trained": "run",
    "preset": "settings",
    "preset_names": "settings",
    "register_learner": "learners",
    "train_study": "run",
}
__all__ = ["Settings", "Trained", "preset", "preset_names", "register_learner", "train_study"]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
