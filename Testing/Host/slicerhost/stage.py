"""A window with the panel and the views, and pictures of it: what the stories in pictures have in common."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QWidget

from slicerhost import Host
from slicerhost.window import Window

SETTLING_SECONDS = 0.5  # until texts have wrapped and sections have their height
SETTLING_ROUNDS = 30  # on a slow computer, since a layout hands its new size on to the next one
SMALLEST = 0  # the quality of a PNG file says how large it may be


class Stage:
    """Opens the module in a window; pictures go into a folder."""

    def __init__(self, host: Host, folder: Path) -> None:
        self._host, self._folder = host, folder
        self._module = host.open_module()
        self._panel: Any = self._module.panel
        self._window = Window(self._module)
        host.application.window = self._window
        self._window.show()

    def _choose(self, method: str) -> None:
        combo = self._panel.truthSection._ui.methodSelector
        combo.setProperty("currentIndex", combo.findData(method))
        self._host.wait_for(lambda: not self._panel.annotatorsSection.isReviewing)

    def _open(self, section: str) -> None:
        self._window.findChild(QWidget, section).collapsed = False

    def _close(self, section: str) -> None:
        self._window.findChild(QWidget, section).collapsed = True

    def _picture(self, name: str, section: str) -> None:
        settled, rounds = time.monotonic() + SETTLING_SECONDS, 0
        while time.monotonic() < settled or rounds < SETTLING_ROUNDS:
            self._host.qt_application.processEvents()
            rounds += 1
        self._window.scroll.ensureWidgetVisible(self._window.findChild(QWidget, section), 0, 2000)
        self._window.views.redraw()
        self._host.qt_application.processEvents()
        self._window.grab().save(str(self._folder / f"panel-{name}.png"), "PNG", SMALLEST)
