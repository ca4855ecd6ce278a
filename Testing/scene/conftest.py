"""A scene without the application, volumes in it, and small cases with answers known by construction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Annotation, Case, Geometry, Image
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.headless import HeadlessSlicer
from NoisyLabelSegLib.scene.loading import loadCase
from NoisyLabelSegLib.scene.offscreen import OffscreenView
from NoisyLabelSegLib.scene.placing import ijkToRas
from NoisyLabelSegLib.scene.volumes import LABELMAP, SCALAR, fillVolume

Node = Any


@pytest.fixture
def app() -> Iterator[HeadlessSlicer]:
    with HeadlessSlicer() as application:
        yield application


@pytest.fixture
def scene(app: HeadlessSlicer) -> Node:
    return app.scene


@pytest.fixture
def add_volume(scene: Node) -> Callable[..., Node]:
    """Adds a volume node from an array; by default a labelmap on a plain grid."""

    def add(name: str, array: Any, geometry: Geometry | None = None, *, kind: str = LABELMAP) -> Node:
        node = scene.AddNewNodeByClass(kind, name)
        fillVolume(node, np.asarray(array), geometry or Geometry.plain(np.shape(array)[-3:]))
        return node

    return add


@pytest.fixture
def add_image(add_volume: Callable[..., Node]) -> Callable[..., Node]:
    """Adds a gray volume; its voxels are all 100."""

    def add(name: str, geometry: Geometry) -> Node:
        return add_volume(name, np.full(geometry.shape, 100, dtype=np.int16), geometry, kind=SCALAR)

    return add


@pytest.fixture
def add_segmentation(scene: Node) -> Callable[..., Node]:
    """Adds a segmentation node with one segment per mask, each in a labelmap of its own, so that they may overlap."""
    import slicer

    from NoisyLabelSegLib.scene.arrays import imageFromArray
    from NoisyLabelSegLib.scene.placing import orientedImage

    def add(name: str, masks: dict[str, Any], geometry: Geometry) -> Node:
        node = scene.AddNewNodeByClass("vtkMRMLSegmentationNode", name)
        node.CreateDefaultDisplayNodes()
        for segment, mask in masks.items():
            image = orientedImage(imageFromArray(np.asarray(mask, dtype=np.uint8)), ijkToRas(geometry))
            id = node.GetSegmentation().AddEmptySegment("", segment)
            slicer.vtkSlicerSegmentationsModuleLogic.SetBinaryLabelmapToSegment(image, node, id)
        return node

    return add


@pytest.fixture
def view(app: HeadlessSlicer) -> Iterator[Callable[..., OffscreenView]]:
    """Opens off-screen views and closes them after the test."""
    opened: list[OffscreenView] = []

    def open(name: str = "Red", size: tuple[int, int] = (240, 240)) -> OffscreenView:
        opened.append(OffscreenView(app.scene, app.applicationLogic, name, size))
        return opened[-1]

    yield open
    for each in opened:
        each.close()


@pytest.fixture
def small_case() -> Callable[..., Case]:
    """A case of 8 x 10 x 12 voxels: everyone marks a box, each shifted by one voxel more along x."""

    def make(annotators: int = 3, *, id: str = "case1", geometry: Geometry | None = None) -> Case:
        geometry = geometry or Geometry.plain((8, 10, 12), (1.0, 1.0, 2.0))
        annotations = {}
        for index in range(annotators):
            labels = np.zeros(geometry.shape, dtype=np.uint8)
            labels[2:6, 3:7, 2 + index % 5 : 6 + index % 5] = 1
            annotations[f"reader{index + 1}"] = Annotation(Image(labels, geometry))
        image = np.arange(np.prod(geometry.shape), dtype=np.int16).reshape(geometry.shape)
        return Case(id, (Image(image, geometry),), annotations, classes=2)

    return make


@pytest.fixture
def loaded(scene: Node, small_case: Callable[..., Case]) -> CaseFolder:
    """The small case with three annotators, loaded."""
    return loadCase(scene, small_case())


@pytest.fixture
def save_and_reopen(app: HeadlessSlicer, tmp_path: Path) -> Iterator[Callable[[str], HeadlessSlicer]]:
    """Saves the scene as `mrb` or `mrml` and opens the file in another, empty application."""
    opened: list[HeadlessSlicer] = []

    def reopen(ending: str) -> HeadlessSlicer:
        path = tmp_path / f"scene.{ending}"
        if ending == "mrb":
            assert app.scene.WriteToMRB(str(path))
        else:
            (tmp_path / "saved").mkdir()
            assert app.scene.SaveSceneToSlicerDataBundleDirectory(str(tmp_path / "saved"), None)
            path = next((tmp_path / "saved").glob("*.mrml"))
        other = HeadlessSlicer()
        opened.append(other)
        if ending == "mrb":
            assert other.scene.ReadFromMRB(str(path), True)
        else:
            other.scene.SetURL(str(path))
            assert other.scene.Connect()
        return other

    yield reopen
    for each in opened:
        each.close()
