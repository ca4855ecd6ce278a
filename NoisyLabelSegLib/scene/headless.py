"""Slicer's scene and logics without the application, and a scene saved as one .mrb file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import slicer
import vtk

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.output import output_file
from NoisyLabelSegLib.scene.arrays import Node


class HeadlessSlicer:
    """A scene with the logics that the application would give it. Close it, or use it in a `with` block.

    `scene` and `applicationLogic` are what `slicer.mrmlScene` and `slicer.app.applicationLogic()` are in Slicer.
    """

    def __init__(self) -> None:
        self.scene: Node = slicer.vtkMRMLScene()
        self.applicationLogic: Node = slicer.vtkSlicerApplicationLogic()
        self.applicationLogic.SetMRMLScene(self.scene)
        self.applicationLogic.SetSliceLogics(vtk.vtkCollection())
        self.applicationLogic.SetViewLogics(vtk.vtkCollection())
        self._addDefaultNodes()
        self._segmentationsLogic = slicer.vtkSlicerSegmentationsModuleLogic()  # makes the scene know segmentations
        self._segmentationsLogic.SetMRMLApplicationLogic(self.applicationLogic)
        self._segmentationsLogic.SetMRMLScene(self.scene)
        self.applicationLogic.SetModuleLogic("Segmentations", self._segmentationsLogic)
        factory = slicer.vtkMRMLSliceViewDisplayableManagerFactory.GetInstance()
        factory.SetMRMLApplicationLogic(self.applicationLogic)
        self._layoutLogic = slicer.vtkMRMLLayoutLogic()
        self._layoutLogic.SetMRMLApplicationLogic(self.applicationLogic)
        self._layoutLogic.SetMRMLScene(self.scene)
        self._cache = tempfile.TemporaryDirectory(prefix="noisylabelseg-")
        self._useCache(Path(self._cache.name))

    def __enter__(self) -> HeadlessSlicer:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Empties the scene and lets go of it."""
        self._layoutLogic.SetMRMLScene(None)
        self.scene.GetSubjectHierarchyNode().RemoveAllItems()  # its items outlive their nodes in a cache of the process
        self.scene.Clear(True)
        self.applicationLogic.SetMRMLScene(None)
        self._cache.cleanup()

    def _addDefaultNodes(self) -> None:
        crosshair = slicer.vtkMRMLCrosshairNode()
        crosshair.SetCrosshairName("default")
        self.scene.AddNode(crosshair)
        slicer.vtkMRMLSliceNode.AddDefaultSliceOrientationPresets(self.scene, True)  # patient's right is screen left
        self.scene.RegisterNodeClass(slicer.vtkMRMLColorLegendDisplayNode())
        colorLogic = self.applicationLogic.GetColorLogic()
        colorLogic.SetMRMLScene(self.scene)
        colorLogic.AddDefaultColorNodes()

    def _useCache(self, folder: Path) -> None:
        """Reading .mrb files needs a folder to unpack them in."""
        cache, manager = slicer.vtkCacheManager(), slicer.vtkDataIOManager()
        cache.SetRemoteCacheDirectory(str(folder))
        cache.SetMRMLScene(self.scene)
        manager.SetCacheManager(cache)
        self.scene.SetCacheManager(cache)
        self.scene.SetDataIOManager(manager)


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
