"""A scene as one file, .mrb, that opens anywhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import vtk

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.output import output_file
from NoisyLabelSegLib.scene.arrays import Node


def saveScene(scene: Node, path: str | Path) -> None:
    """Writes the scene and everything in it, whole or not at all."""
    with output_file(path) as partial, _withoutChatter():
        if not scene.WriteToMRB(str(partial)):
            raise UserError("cannot be written", file=path, remedy="check the free space on the disk")


@contextmanager
def _withoutChatter() -> Iterator[None]:
    """Slicer tells of every file that it packs; that belongs in no terminal."""
    shown = vtk.vtkOutputWindow.GetInstance()
    vtk.vtkOutputWindow.SetInstance(vtk.vtkStringOutputWindow())
    try:
        yield
    finally:
        vtk.vtkOutputWindow.SetInstance(shown)
