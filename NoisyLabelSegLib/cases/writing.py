"""Writes images, labels and fields, whole or not at all; the file's ending chooses the format."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases.geometry import Geometry
from NoisyLabelSegLib.cases.image import Image
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.output import output_file

LITTLE_SPACE = 1 << 20
"""With fewer bytes than this left on the disk after a write, the write may have failed."""


def write_labels(path: str | Path, labels: NDArray[Any], geometry: Geometry, *, compressed: bool = True) -> None:
    """Labels (*shape), written as uint8."""
    write_image(path, Image(np.asarray(labels).astype(np.uint8, copy=False), geometry), compressed=compressed)


def write_components(path: str | Path, field: NDArray[Any], geometry: Geometry, *, compressed: bool = True) -> None:
    """A field (C, *shape), such as probabilities, written as C float32 components per voxel."""
    write_image(path, Image(np.asarray(field).astype(np.float32, copy=False), geometry), compressed=compressed)


def write_image(path: str | Path, image: Image, *, compressed: bool = True) -> None:
    """An image as it is, compressed where the format can; without, large images are written many times faster."""
    import SimpleITK as sitk

    from NoisyLabelSegLib.cases.itk import to_itk

    with output_file(path) as partial:
        try:
            sitk.WriteImage(to_itk(image), str(partial), useCompression=compressed, compressionLevel=1)
        except RuntimeError as error:
            raise UserError(
                "cannot be written",
                file=path,
                remedy="check that the ending is one of .nrrd, .nii.gz, .mha, .png, .tif and that the disk has space",
                detail=str(error),
            ) from error
        if shutil.disk_usage(partial.parent).free < LITTLE_SPACE:
            _require_whole(partial, image)


def _require_whole(path: Path, image: Image) -> None:
    """Reads the file back: on a full disk ITK cuts NIfTI files, and files smaller than a buffer, without a word."""
    import SimpleITK as sitk

    from NoisyLabelSegLib.cases.itk import to_itk

    try:
        found, meant = sitk.ReadImage(str(path)), to_itk(image)
        whole = np.array_equal(sitk.GetArrayViewFromImage(found), sitk.GetArrayViewFromImage(meant))
    except RuntimeError:
        whole = False
    if not whole:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
