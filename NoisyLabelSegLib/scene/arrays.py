"""Between numpy arrays (z, y, x) and VTK images, with the number types that a scene can hold."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, TypeAlias

import numpy as np
import vtk
from numpy.typing import NDArray
from vtk.util import numpy_support

from NoisyLabelSegLib.errors import UserError

Node: TypeAlias = Any
"""A MRML node, a VTK object or the scene: classes of the wheel and of the application, which carry no types."""

VOXELS_AT_ONCE = 1 << 22
"""How much of a large image is made in one step: well below a tenth of a second."""

_HELD_AS = {np.dtype(np.bool_): np.uint8, np.dtype(np.float16): np.float32}


def imageFromArray(array: NDArray[Any]) -> Node:
    """A vtkImageData that owns a copy of `array`: (z, y, x), (y, x), or (C, z, y, x) as C components per voxel."""
    array = holdable(array)
    array = array[None] if array.ndim == 2 else array
    components = len(array) if array.ndim == 4 else 1
    z, y, x = array.shape[-3:]
    values = np.moveaxis(array, 0, -1).reshape(-1, components) if array.ndim == 4 else array.reshape(-1)
    image = vtk.vtkImageData()
    image.SetDimensions(x, y, z)
    scalars = numpy_support.numpy_to_vtk(np.ascontiguousarray(values), deep=True)
    scalars.SetName("ImageScalars")
    image.GetPointData().SetScalars(scalars)
    return image


def imageInSteps(
    shape: tuple[int, ...], kind: type[np.number[Any]], slices: Callable[[slice], NDArray[Any]]
) -> Generator[str, None, Node]:
    """A vtkImageData of this shape (z, y, x) with numbers of a `kind`, made a few slices a step."""
    z, y, x = shape
    image = vtk.vtkImageData()
    image.SetDimensions(x, y, z)
    image.AllocateScalars(numpy_support.get_vtk_array_type(kind), 1)
    values = arrayFromImage(image)
    count = max(1, VOXELS_AT_ONCE // (y * x))
    for start in range(0, z, count):
        yield ""
        few = slice(start, min(start + count, z))
        values[few] = slices(few)
    return image


def arrayFromImage(image: Node) -> NDArray[Any]:
    """The voxels of a vtkImageData, (z, y, x) or (C, z, y, x); shared with the image, so do not write to it."""
    x, y, z = image.GetDimensions()
    scalars = image.GetPointData().GetScalars()
    components = scalars.GetNumberOfComponents()
    values: NDArray[Any] = numpy_support.vtk_to_numpy(scalars)
    if components == 1:
        return values.reshape(z, y, x)
    return np.moveaxis(values.reshape(z, y, x, components), -1, 0)


def arrayOf(volume: Node) -> NDArray[Any]:
    """The voxels of a volume node, (z, y, x) or (C, z, y, x), shared with the node."""
    image = volume.GetImageData()
    if image is None or image.GetPointData().GetScalars() is None or not image.GetNumberOfPoints():
        raise UserError(f"{volume.GetName()} holds no voxels", remedy="load it again or choose another volume")
    return arrayFromImage(image)


def holdable(array: NDArray[Any]) -> NDArray[Any]:
    """The array with a number type that volume nodes can hold and save: 64-bit integers must fit into 32 bits."""
    if array.dtype in _HELD_AS:
        return array.astype(_HELD_AS[array.dtype])
    if array.dtype in (np.dtype(np.int64), np.dtype(np.uint64)):
        limits = np.iinfo(np.int32)
        if array.size and (array.min() < limits.min or array.max() > limits.max):
            raise UserError("The image has whole numbers beyond 32 bits", remedy="convert it to float first")
        return array.astype(np.int32)
    if array.dtype.kind not in "iuf":
        raise UserError(f"An image of type {array.dtype} cannot be shown", remedy="convert it to float first")
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def labelsFrom(array: NDArray[Any], name: str) -> NDArray[np.uint8]:
    """Labels as uint8 (*shape); a sentence with the node's name where they are no whole numbers from 0 to 255."""
    if array.dtype == np.uint8:
        return array
    if array.dtype == np.bool_:
        return array.astype(np.uint8)
    if array.dtype.kind == "f" and not np.array_equal(np.rint(array), array):
        raise UserError(f"{name} has values with fractions, so it holds no labels", remedy="threshold it first")
    if array.size and (array.min() < 0 or array.max() > 255):
        extreme = int(array.min() if array.min() < 0 else array.max())
        raise UserError(f"{name} has the label {extreme}", remedy="labels are whole numbers from 0 to 255")
    return array.astype(np.uint8)
