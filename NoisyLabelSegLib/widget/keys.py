"""Keys of the main window that belong to a section of the panel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import qt


class Keys:
    """What happens on which keys; off at first, so that they stay with others while the section is not in use."""

    def __init__(self, parent: Any, slots: Mapping[str, Callable[[], None]]) -> None:
        self._shortcuts = []
        for keys, slot in slots.items():
            shortcut = qt.QShortcut(qt.QKeySequence(keys), parent)
            shortcut.enabled = False
            shortcut.activated.connect(slot)
            self._shortcuts.append(shortcut)

    def enable(self, *, enabled: bool) -> None:
        for shortcut in self._shortcuts:
            shortcut.enabled = enabled
