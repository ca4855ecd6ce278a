"""A small volume with three annotators for the tests that run inside Slicer; the right answers are known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.scene.arrays import Node
from NoisyLabelSegLib.scene.volumes import LABELMAP, fillVolume


def addBoxes(scene: Node, height: float = 0.0) -> tuple[Node, list[Node]]:
    """A volume with two bright boxes, and labelmaps: exact, one too wide, one that misses a box.

    The first slice lies at `height` mm.
    """
    image = np.zeros((12, 24, 24), dtype=np.int16)
    image[3:8, 4:10, 4:10] = image[3:8, 15:20, 15:20] = 100
    exact = (image > 0).astype(np.uint8)
    wide, misses = exact.copy(), exact.copy()
    wide[3:8, 3:11, 3:11] = 1
    misses[3:8, 15:20, 15:20] = 0
    geometry = replace(Geometry.plain(image.shape), origin=(0.0, 0.0, height))
    arrays: dict[str, NDArray[Any]] = {"boxes": image, "exact": exact, "wide": wide, "misses": misses}
    nodes = []
    for name, array in arrays.items():
        node = scene.AddNewNodeByClass("vtkMRMLScalarVolumeNode" if array is image else LABELMAP, name)
        fillVolume(node, array, geometry)
        nodes.append(node)
    return nodes[0], nodes[1:]
