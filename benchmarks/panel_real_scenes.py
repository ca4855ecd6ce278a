"""Real cases, as nodes that somebody has loaded, for `bench panel --data`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from NoisyLabelSegLib.cases import Geometry, Image, read_image, read_labels
from NoisyLabelSegLib.cases.file_kinds import kind_of
from NoisyLabelSegLib.cases.segments import read_segments

LIDC = Path("lidc-ct-xml") / "LIDC-IDRI-0001"
CHEST = Path("demo-volumes") / "ct-chest-slicer"
MS = Path("ms-lesion-mr") / "patient19"
LIDC_READERS = tuple(f"reader{number}" for number in range(1, 5))
STACKED = 8
"""There are 16 slices of the CT with the outlines of its readers; so many copies of them, one above the other."""


@dataclass(frozen=True)
class RealScene:
    """A scene that `add` makes of files below `data`."""

    title: str
    data: Path
    add: Callable[[Path], Any]

    def add_nodes(self) -> Any:
        """Adds the nodes; returns the volume."""
        return self.add(self.data)


def real_scenes(data: Path) -> list[RealScene]:
    """Those whose files there are."""
    found: list[tuple[str, Path, Callable[[Path], Any]]] = [
        ("LIDC CT of 512 x 512 x 128 (16 slices, stacked), four readers", LIDC, lambda path: _lidc(path, STACKED)),
        (
            "LIDC CT of 512 x 512 x 16, four readers with masks of 0 and 255",
            LIDC,
            lambda path: _lidc(path, 1, mark=255),
        ),
        ("chest CT of 128 x 128 x 34, eight classes, three readers", CHEST, _chest),
        ("MR with MS lesions of 136 x 155 x 125, three channels, twelve readers", MS, _ms),
    ]
    return [RealScene(title, data / path, add) for title, path, add in found if (data / path).is_dir()]


def _lidc(folder: Path, copies: int, *, mark: int = 1) -> Any:
    image = read_image(folder / "ct.nrrd")
    grid = _stacked(image.geometry, copies)
    volume = _volume("ct", np.concatenate([image.array] * copies), grid)
    for name in LIDC_READERS:
        labels = np.concatenate([read_labels(folder / f"{name}.nrrd").array] * copies)
        _labelmap(name, labels * np.uint8(mark), grid)
    return volume


def _chest(folder: Path) -> Any:
    """The eight structures of one segmentation; two further readers drew them a voxel aside."""
    from NoisyLabelSegLib.scene.colors import classColor
    from NoisyLabelSegLib.scene.segments import fillSegmentation

    image = read_image(folder / "CTChest4.nrrd")
    volume = _volume("chest", image.array, image.geometry)
    path = folder / "SegmentationOverlapping.seg.nrrd"
    found = read_segments(path, kind_of(path))
    labels = np.zeros(found.geometry.shape, dtype=np.uint8)
    for number, segment in enumerate(found.segments, start=1):
        labels[found.mask(segment)] = number
    names = [segment.name for segment in found.segments]
    colors = [classColor(number) for number in range(1, len(names) + 1)]
    for reader in range(3):
        node = _node("vtkMRMLSegmentationNode", f"reader{reader}")
        node.CreateDefaultDisplayNodes()
        node.SetNodeReferenceID(node.GetReferenceImageGeometryReferenceRole(), volume.GetID())
        fillSegmentation(node, np.roll(labels, reader, axis=2), found.geometry, names, colors)
    return volume


def _ms(folder: Path) -> Any:
    """The consensus of the lesions, which twelve readers drew larger, smaller or aside."""
    channels = {name: read_image(folder / f"{name}.nii.gz") for name in ("flair", "t1", "t2")}
    volumes = [_volume(name, image.array, image.geometry) for name, image in channels.items()]
    truth = read_labels(folder / "lesion_consensus.nii.gz")
    for reader in range(12):
        labels = np.roll(truth.array > 0, reader % 4, axis=1 + reader % 2)
        if reader % 3:
            change = ndimage.binary_dilation if reader % 3 == 1 else ndimage.binary_erosion
            labels = change(labels)
        _labelmap(f"Dr. Maximiliane Oberhuber {reader + 1}", labels.astype(np.uint8), truth.geometry)
    return volumes[0]


def _stacked(grid: Geometry, copies: int) -> Geometry:
    return Geometry((grid.shape[0] * copies, *grid.shape[1:]), grid.spacing, grid.origin, grid.direction)


def _volume(name: str, array: NDArray[Any], grid: Geometry) -> Any:
    return _filled("vtkMRMLScalarVolumeNode", name, Image(array, grid))


def _labelmap(name: str, labels: NDArray[np.uint8], grid: Geometry) -> Any:
    return _filled("vtkMRMLLabelMapVolumeNode", name, Image(labels, grid))


def _filled(kind: str, name: str, image: Image) -> Any:
    from NoisyLabelSegLib.scene.volumes import fillVolume

    node = _node(kind, name)
    fillVolume(node, image.array, image.geometry)
    return node


def _node(kind: str, name: str) -> Any:
    import slicer

    return slicer.mrmlScene.AddNewNodeByClass(kind, name)
