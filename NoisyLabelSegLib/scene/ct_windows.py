"""The gray window of a CT where somebody looks: that of the lung in the lung, else that of soft tissue.

Slicer shows a CT without a preset from air to metal, in which a nodule is hard to see.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.scene.arrays import Node, arrayOf
from NoisyLabelSegLib.scene.nodes import PREFIX
from NoisyLabelSegLib.scene.placing import geometryOf
from NoisyLabelSegLib.scene.volumes import hasChosenWindow, sampled

LUNG, SOFT_TISSUE = (1500.0, -600.0), (400.0, 40.0)
"""Window and level in Hounsfield units."""
_AIR, _AERATED = -500, -400
"""Some of every CT is air; where the tissue around is lighter than this, it is lung."""
_AROUND_MM = 15.0
_DONE = PREFIX + "ctWindow"


def chooseCtWindow(image: Node, center: Sequence[float], extent: float) -> None:
    """Sets the window of a CT by what lies around a place (LPS, mm), once; one that people chose stays."""
    if image.GetAttribute(_DONE) or not image.IsA("vtkMRMLScalarVolumeNode"):
        return
    display = image.GetDisplayNode()
    if display is None or hasChosenWindow(image) or not _isCt(sampled(arrayOf(image))):
        return
    values = _around(image, center, extent / 2 + _AROUND_MM)
    if values.size:
        window, level = LUNG if np.median(values) < _AERATED else SOFT_TISSUE
        display.AutoWindowLevelOff()
        display.SetWindowLevel(window, level)
        image.SetAttribute(_DONE, "yes")


def _isCt(values: NDArray[Any]) -> bool:
    low, high = np.percentile(values, (1, 99))
    return bool(low < _AIR and high > _AERATED and values.min() >= -4096)


def _around(image: Node, center: Sequence[float], radius: float) -> NDArray[Any]:
    """A sample of the voxels in a box around a place."""
    geometry = geometryOf(image)
    middle = geometry.indices(np.array([(*center, 0.0)[:3]]))[0]
    box = []
    for index, spacing, length in zip(middle, geometry.spacing_zyx, geometry.shape, strict=True):
        reach = radius / spacing
        box.append(slice(max(int(index - reach), 0), min(int(index + reach) + 1, length)))
    return sampled(arrayOf(image)[tuple(box)])
