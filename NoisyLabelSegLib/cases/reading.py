"""Reads an image, labels or only their grid from any known kind of file; the content decides, not the name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases.geometry import Geometry
from NoisyLabelSegLib.cases.image import Image
from NoisyLabelSegLib.cases.itk_files import read_itk, read_itk_geometry
from NoisyLabelSegLib.cases.kinds import Kind, kind_of
from NoisyLabelSegLib.errors import UserError


def read_geometry(path: str | Path) -> Geometry:
    """The grid of a file, from its header where the format has one."""
    path = Path(path)
    kind = kind_of(path)
    if kind in (Kind.DICOM_FOLDER, Kind.DICOM, Kind.SEGMENTATION):
        return read_image(path).geometry
    return read_itk_geometry(path, kind)


def read_image(path: str | Path) -> Image:
    """An image with its own number type: (*shape), or (C, *shape) where the file has several components."""
    path = Path(path)
    kind = kind_of(path)
    if kind is Kind.DICOM_FOLDER:
        from NoisyLabelSegLib.cases.dicom_series import read_dicom_series

        return read_dicom_series(path)
    if kind is Kind.SEGMENTATION:
        return _read_segments(path, kind)
    if kind is Kind.DICOM and _is_dicom_seg(path):
        return _read_segments(path, kind)
    return read_itk(path, kind)


def read_labels(path: str | Path) -> Image:
    """Labels as uint8 (*shape): whole numbers from 0 to 255, one per voxel; anything else is refused."""
    path = Path(path)
    image = read_image(path)
    array = image.array
    if array.ndim > image.geometry.dimension:
        if not all(np.array_equal(array[0], component) for component in array[1:]):
            raise UserError(
                f"has {len(array)} components per voxel, so it is not a label image",
                file=path,
                remedy="save the labels with one value per voxel",
            )
        array = array[0]  # a grey picture saved as RGB
    return Image(_as_labels(array, path), image.geometry)


def _as_labels(array: NDArray[np.generic], path: Path) -> NDArray[np.uint8]:
    if array.dtype == np.uint8:
        return array  # type: ignore[return-value]
    remedy = "labels are whole numbers from 0 (background) to 255"
    if np.issubdtype(array.dtype, np.floating):
        if not np.isfinite(array).all():
            raise UserError("has labels that are not numbers (NaN or infinity)", file=path, remedy=remedy)
        if (array != np.rint(array)).any():
            raise UserError("has labels with fractions", file=path, remedy=f"threshold it first: {remedy}")
    if array.size and array.min() < 0:
        raise UserError(f"has the negative label {int(array.min())}", file=path, remedy=remedy)
    if array.size and array.max() > 255:
        raise UserError(f"has the label {int(array.max())}, which is above 255", file=path, remedy=remedy)
    return array.astype(np.uint8)


def _is_dicom_seg(path: Path) -> bool:
    from NoisyLabelSegLib.cases.dicom_seg import is_dicom_seg

    return is_dicom_seg(path)


def _read_segments(path: Path, kind: Kind) -> Image:
    """A segmentation as one label image, if its segments do not overlap."""
    from NoisyLabelSegLib.cases.segments import read_segments

    return read_segments(path, kind).as_labels()
