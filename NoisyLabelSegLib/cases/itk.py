"""Between our images and SimpleITK's."""

from __future__ import annotations

from typing import Any

import numpy as np
import SimpleITK as sitk

from NoisyLabelSegLib.cases.geometry import Geometry
from NoisyLabelSegLib.cases.image import Image


def geometry_of(source: Any) -> Geometry:
    """The grid of a SimpleITK image, or of a reader that has read the header."""
    return Geometry(
        tuple(int(n) for n in reversed(source.GetSize())),
        tuple(float(x) for x in source.GetSpacing()),
        tuple(float(x) for x in source.GetOrigin()),
        tuple(float(x) for x in source.GetDirection()),
    )


def from_itk(image: Any) -> Image:
    """Components, which ITK keeps last, come first: (C, *shape)."""
    array = sitk.GetArrayFromImage(image)
    if image.GetNumberOfComponentsPerPixel() > 1:
        array = np.ascontiguousarray(np.moveaxis(array, -1, 0))
    return Image(array, geometry_of(image))


def to_itk(image: Image) -> Any:
    """A SimpleITK image with the same voxels at the same places."""
    several = image.array.ndim > image.geometry.dimension
    array = np.ascontiguousarray(np.moveaxis(image.array, 0, -1)) if several else image.array
    if array.dtype == np.bool_:
        array = array.astype(np.uint8)
    result = sitk.GetImageFromArray(array, isVector=several)
    result.SetSpacing(image.geometry.spacing)
    result.SetOrigin(image.geometry.origin)
    result.SetDirection(image.geometry.direction)
    return result
