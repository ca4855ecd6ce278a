"""Keeps what the panel remembers between sessions away from the settings of the person at the computer."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSettings


def keep_settings_in(folder: Path) -> None:
    """Lets QSettings use files of this folder, not those of the person at the computer."""
    QSettings.setDefaultFormat(QSettings.Format.IniFormat)
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(folder))
