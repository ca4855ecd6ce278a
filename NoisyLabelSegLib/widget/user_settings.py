"""What a user of this computer has chosen for all scenes: how errors are drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import qt
import slicer

KEY = "NoisyLabelSeg/"


@dataclass(frozen=True)
class DisplayChoices:
    """How error maps are drawn; the colors are safe for color-blind people unless `paperColors`."""

    paperColors: bool = False
    filled: bool = True
    correct: bool = True
    planes: bool = False
    opacity: int = 100
    """In percent of the opacity of the colors."""

    @classmethod
    def read(cls) -> DisplayChoices:
        """The user's choices of earlier sessions."""
        given: dict[str, Any] = {name: slicer.util.settingsValue(KEY + name, None) for name in cls.__dataclass_fields__}
        known = {name: _like(value, getattr(cls, name)) for name, value in given.items() if value is not None}
        return cls(**known)

    def changed(self, **values: Any) -> DisplayChoices:
        """The same with other values, which are remembered from now on."""
        for name, value in values.items():
            qt.QSettings().setValue(KEY + name, str(value))
        return replace(self, **values)


def _like(text: Any, default: Any) -> Any:
    """Settings come back as text."""
    if isinstance(default, bool):
        return str(text).lower() == "true"
    return int(text) if str(text).isdecimal() else default
