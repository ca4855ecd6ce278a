"""The host as pytest fixtures, for every folder of tests that needs it."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent

from slicerhost.settings import keep_settings_in
from slicerhost.start import Host, is_running, start


class _Faults(logging.Handler):
    """Errors that the extension catches and logs are faults in a test."""

    def __init__(self, host: Host) -> None:
        super().__init__(logging.ERROR)
        self._host = host

    def emit(self, record: logging.LogRecord) -> None:
        self._host.faults.append(record.exc_info[1] if record.exc_info else RuntimeError(record.getMessage()))


@pytest.fixture
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """The host with an empty scene and no settings; a fault in a slot, which Slicer only prints, fails the test."""
    if "torch" in sys.modules and not is_running():  # PySide's true_property cannot begin where torch is loaded
        pytest.skip("needs a process without torch: pytest Testing/Host Testing/widget, as make test does")
    running = start()
    running.application.use_main_window(used=True)
    running.application.testing = False
    keep_settings_in(tmp_path_factory.mktemp("settings"))
    running.close_scene()
    running.faults.clear()
    running.answers.clear()
    listener = _Faults(running)
    logging.getLogger().addHandler(listener)
    yield running
    logging.getLogger().removeHandler(listener)
    assert not running.faults


@pytest.fixture
def no_main_window(host: Host) -> None:
    """Slicer as its generic tests start it: --testing --no-main-window. To be asked for before the module is."""
    host.application.use_main_window(used=False)
    host.application.testing = True


@pytest.fixture
def module(host: Host) -> Iterator[Any]:
    """The module's widget object, entered where there is a main window; cleaned up at the end, as when Slicer quits."""
    widget = host.open_module()
    yield widget
    if widget.parent.isEntered:
        widget.exit()
    widget.cleanup()
    widget.parent.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)  # outside exec() nobody else does
