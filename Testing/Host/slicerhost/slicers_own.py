"""Runs Slicer's own Python files (ScriptedLoadableModule, parameterNodeWrapper, i18n) over the host, from a checkout.

They expect more of ctk and qMRML than the panel uses; names that the host lacks become classes that no widget has.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import slicer
from PySide6.QtWidgets import QWidget

from slicerhost.sources import HostFinder

FILES = ("i18n", "parameterNodeWrapper", "ScriptedLoadableModule")
UNUSED = {
    "ctk": (
        "ctkCheckBox",
        "ctkCheckablePushButton",
        "ctkColorPickerButton",
        "ctkComboBox",
        "ctkDirectoryButton",
        "ctkDoubleRangeSlider",
        "ctkDoubleSlider",
        "ctkDoubleSpinBox",
        "ctkRangeWidget",
    ),
    "slicer": ("qMRMLRangeWidget", "qMRMLSliderWidget", "qMRMLSpinBox"),
}


def use_slicers_own(folder: Path) -> None:
    """Loads the files from the folder Base/Python/slicer of Slicer's sources as PythonQt would run them."""
    for module, names in UNUSED.items():
        for name in names:
            _add_unused(sys.modules[module], name)
    slicer.__path__.append(str(folder))
    sys.meta_path.insert(0, HostFinder([f"slicer.{name}" for name in FILES]))
    for name in FILES:
        setattr(slicer, name, importlib.import_module(f"slicer.{name}"))


def _add_unused(module: Any, name: str) -> None:
    if name not in vars(module):
        setattr(module, name, type(name, (QWidget,), {}))
