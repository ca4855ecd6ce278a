"""Reads images, labels or their grid from any supported file, and writes them, whole or not at all."""

from __future__ import annotations

import errno
import gzip
import os
import shutil
import tempfile
import zlib
from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases.file_kinds import FileFormat, kind_of
from NoisyLabelSegLib.cases.geometry import Geometry, Image
from NoisyLabelSegLib.cases.itk_files import read_itk, read_itk_geometry
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.output import output_file
from NoisyLabelSegLib.untrusted import require_memory


def read_geometry(path: str | Path) -> Geometry:
    """The grid of a file, from its header where the format has one."""
    path = Path(path)
    kind = kind_of(path)
    if kind in (FileFormat.DICOM_FOLDER, FileFormat.DICOM, FileFormat.SEGMENTATION):
        return read_image(path).geometry
    return read_itk_geometry(path, kind)


def read_image(path: str | Path) -> Image:
    """An image with its own number type: (*shape), or (C, *shape) where the file has several components."""
    path = Path(path)
    kind = kind_of(path)
    if kind is FileFormat.DICOM_FOLDER:
        from NoisyLabelSegLib.cases.dicom_series import read_dicom_series

        return read_dicom_series(path)
    if kind is FileFormat.SEGMENTATION:
        return _read_segments(path, kind)
    if kind is FileFormat.DICOM and _is_dicom_seg(path):
        return _read_segments(path, kind)
    return read_itk(path, kind)


def read_labels(path: str | Path) -> Image:
    """Labels as uint8 (*shape): whole numbers from 0 to 255, one per voxel; anything else is refused."""
    image = read_label_values(path)
    array = image.array
    if array.size and array.max() > 255:
        raise UserError(f"has the label {int(array.max())}, which is above 255", file=path, remedy=_LABELS_ARE)
    return Image(array.astype(np.uint8, copy=False), image.geometry)


def read_label_values(path: str | Path) -> Image:
    """Labels (*shape) with the number type of the file: whole numbers from 0 up, of any size, such as 65535."""
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
        array = array[0]  # a gray picture saved as RGB
    _require_whole_numbers(array, path)
    return Image(array, image.geometry)


_LABELS_ARE = "labels are whole numbers from 0 (background) to 255"


def _require_whole_numbers(array: NDArray[Any], path: Path) -> None:
    if np.issubdtype(array.dtype, np.floating):
        if not np.isfinite(array).all():
            raise UserError("has labels that are not numbers (NaN or infinity)", file=path, remedy=_LABELS_ARE)
        if (array != np.rint(array)).any():
            raise UserError("has labels with fractions", file=path, remedy=f"threshold it first: {_LABELS_ARE}")
    if array.size and array.min() < 0:
        raise UserError(f"has the negative label {int(array.min())}", file=path, remedy=_LABELS_ARE)


def _is_dicom_seg(path: Path) -> bool:
    from NoisyLabelSegLib.cases.dicom_seg import is_dicom_seg

    return is_dicom_seg(path)


def _read_segments(path: Path, kind: FileFormat) -> Image:
    """A segmentation as one label image, if its segments do not overlap."""
    from NoisyLabelSegLib.cases.segments import read_segments

    return read_segments(path, kind).as_labels()


LARGE_BYTES = 4_000_000
_BYTES_AT_ONCE = 1 << 24
_LONGEST_HEADER = 1 << 16
_GZIP = b"\x1f\x8b"
_ELSEWHERE = (b"data file", b"datafile", b"line skip", b"lineskip", b"byte skip", b"byteskip")
"""Fields of an NRRD header that say that the voxels do not simply follow it."""


def reading_image(path: Path) -> Generator[str, None, Image]:
    """read_image() in steps, each of which yields the file's name; all but large .nrrd and .nii.gz files take one."""
    if path.is_file() and path.stat().st_size >= LARGE_BYTES:
        try:
            with tempfile.TemporaryDirectory(prefix="noisylabelseg-read-") as folder:
                unpacked = yield from _unpacking(path, Path(folder))
                yield path.name
                return read_image(unpacked)
        except (OSError, EOFError, zlib.error, UserError):
            yield path.name  # a full disk, or a damaged file: then reading the file itself says what is wrong with it
    return read_image(path)


def _unpacking(path: Path, folder: Path) -> Generator[str, None, Path]:
    """Writes an uncompressed copy into the folder and returns its path, or that of the file if it is not compressed."""
    kind = kind_of(path)
    with path.open("rb") as source:
        head = source.read(_LONGEST_HEADER)
        header, start = b"", 0
        if kind is FileFormat.NRRD:
            header, start = _raw_header(head)
        if head[start : start + 2] != _GZIP or (kind is not FileFormat.NIFTI and not header):
            return path
        source.seek(start)
        copy = folder / ("image.nrrd" if kind is FileFormat.NRRD else "image.nii")
        with copy.open("wb") as target, gzip.GzipFile(fileobj=source) as unzipped:
            target.write(header)
            while block := unzipped.read(_BYTES_AT_ONCE):
                require_memory(path, target.tell() + len(block))
                yield path.name
                target.write(block)
    return copy


def _raw_header(head: bytes) -> tuple[bytes, int]:
    """The header of a gzipped NRRD file as that of an uncompressed one, and where its voxels begin; else b"" and 0."""
    header, end, _ = head.partition(b"\n\n")
    lines = header.split(b"\n")
    fields = {name.strip().lower(): place for place, line in enumerate(lines) for name in line.partition(b":")[:1]}
    if not end or b"encoding" not in fields or any(name in fields for name in _ELSEWHERE):
        return b"", 0
    lines[fields[b"encoding"]] = b"encoding: raw"
    return b"\n".join(lines) + end, len(header) + len(end)


LITTLE_SPACE = 1 << 20
"""With fewer bytes than this left on the disk after a write, the write may have failed."""


def write_labels(
    path: str | Path, labels: NDArray[Any], geometry: Geometry, *, compressed: bool = True, note: str = ""
) -> None:
    """Labels (*shape), written as uint8; `note` as in write_image()."""
    image = Image(np.asarray(labels).astype(np.uint8, copy=False), geometry)
    write_image(path, image, compressed=compressed, note=note)


def write_components(path: str | Path, field: NDArray[Any], geometry: Geometry, *, compressed: bool = True) -> None:
    """A field (C, *shape), such as probabilities, written as C float32 components per voxel."""
    write_image(path, Image(np.asarray(field).astype(np.float32, copy=False), geometry), compressed=compressed)


NOTE_KEY, NIFTI_NOTE_KEY, NIFTI_NOTE_BYTES = "NoisyLabelSeg", "ITK_FileNotes", 79
"""A field of an NRRD header, and what ITK writes as the description of a NIfTI file, with its length."""


def write_image(path: str | Path, image: Image, *, compressed: bool = True, note: str = "") -> None:
    """An image as it is, compressed where the format can; without, large images are written many times faster.

    `note` says in the header, where the format has room for it, how the image came about.
    """
    import SimpleITK as sitk

    from NoisyLabelSegLib.cases.geometry import to_itk

    with output_file(path) as partial:
        try:
            whole = to_itk(image)
            _note(whole, path, " ".join(note.split()))
            sitk.WriteImage(whole, str(partial), useCompression=compressed, compressionLevel=1)
        except RuntimeError as error:
            raise UserError(
                "cannot be written",
                file=path,
                remedy="check that the ending is one of .nrrd, .nii.gz, .mha, .png, .tif and that the disk has space",
                detail=str(error),
            ) from error
        if shutil.disk_usage(partial.parent).free < LITTLE_SPACE:
            _require_whole(partial, image)


def _note(image: Any, path: str | Path, note: str) -> None:
    """Puts a note into the header of an ITK image that is to be written."""
    if note and Path(path).name.endswith((".nii", ".nii.gz")):
        image.SetMetaData(NIFTI_NOTE_KEY, note.encode()[:NIFTI_NOTE_BYTES].decode(errors="ignore"))
    elif note:
        image.SetMetaData(NOTE_KEY, note)


def _require_whole(path: Path, image: Image) -> None:
    """Reads the file back: on a full disk ITK cuts NIfTI files, and files smaller than a buffer, without a word."""
    import SimpleITK as sitk

    from NoisyLabelSegLib.cases.geometry import to_itk

    try:
        found, meant = sitk.ReadImage(str(path)), to_itk(image)
        whole = np.array_equal(sitk.GetArrayViewFromImage(found), sitk.GetArrayViewFromImage(meant))
    except RuntimeError:
        whole = False
    if not whole:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
