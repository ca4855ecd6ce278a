"""NRRD, NIfTI, MetaImage, PNG, TIFF and single DICOM files, through SimpleITK."""

from __future__ import annotations

import gzip
import math
import os
import shutil
import struct
import sys
import tempfile
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from NoisyLabelSegLib.cases.file_kinds import FileFormat
from NoisyLabelSegLib.cases.geometry import Geometry, Image
from NoisyLabelSegLib.cases.headers import LARGEST_POSITION, require_sound_header
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.untrusted import LARGEST_EDGE, LEAST_EDGE, require_memory

_LOCK = threading.RLock()  # the stream belongs to the whole process


@contextmanager
def quiet_libraries() -> Iterator[None]:
    """Sends the process's own standard error nowhere for the length of one call into ITK.

    Python's `sys.stderr` is not enough: MetaIO and niftilib write to the file descriptor.
    """
    with _LOCK:
        try:
            screen = os.dup(2)
        except OSError:  # a program without a console, such as Slicer on Windows
            yield
            return
        if sys.stderr is not None:
            sys.stderr.flush()
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(screen, 2)
            os.close(screen)


def nifti_is_whole(path: Path) -> bool:
    """False where voxels are missing at the end, compressed or not."""
    zipped = _starts_zipped(path)
    try:
        with gzip.open(path) if zipped else path.open("rb") as file:
            promised = _promised_bytes(file.read(544))
        if promised is None or not zipped:
            return promised is None or path.stat().st_size >= promised
        # The last four bytes of a gzip file are its length; where they disagree the file may still be several
        # gzip parts in a row, so only then is it read to the end.
        return _stated_length(path) == promised % 2**32 or _real_length(path, promised) >= promised
    except (OSError, EOFError, struct.error, ValueError):
        return False


def _promised_bytes(header: bytes) -> int | None:
    """Where the last voxel ends, or None for a header whose voxels lie in another file."""
    for order in "<>":
        if struct.unpack_from(f"{order}i", header)[0] == 348:
            sizes = struct.unpack_from(f"{order}8h", header, 40)
            bits, offset = (
                struct.unpack_from(f"{order}h", header, 72)[0],
                struct.unpack_from(f"{order}f", header, 108)[0],
            )
            one_file = header[344:347] == b"n+1"
            break
        if struct.unpack_from(f"{order}i", header)[0] == 540:
            sizes = struct.unpack_from(f"{order}8q", header, 16)
            bits, offset = (
                struct.unpack_from(f"{order}h", header, 14)[0],
                struct.unpack_from(f"{order}q", header, 168)[0],
            )
            one_file = header[4:7] == b"n+2"
            break
    else:
        raise ValueError("not a NIfTI header")
    return int(offset) + math.prod(sizes[1 : 1 + sizes[0]]) * bits // 8 if one_file else None


def _starts_zipped(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) == b"\x1f\x8b"


def _stated_length(path: Path) -> int:
    with path.open("rb") as file:
        file.seek(-4, 2)
        return int(struct.unpack("<I", file.read(4))[0])


def _real_length(path: Path, enough: int) -> int:
    length = 0
    with gzip.open(path) as file:
        while length < enough and (part := file.read(2**20)):
            length += len(part)
    return length


_ITK_NAMES = {
    FileFormat.NRRD: "NrrdImageIO",
    FileFormat.SEGMENTATION: "NrrdImageIO",
    FileFormat.NIFTI: "NiftiImageIO",
    FileFormat.META_IMAGE: "MetaImageIO",
    FileFormat.PNG: "PNGImageIO",
    FileFormat.TIFF: "TIFFImageIO",
    FileFormat.DICOM: "GDCMImageIO",
}
_PICTURES = (FileFormat.PNG, FileFormat.TIFF)
_HIGHEST_COMPRESSION = 1100  # deflate cannot do better than 1032:1, so a larger claim is a damaged header


def read_itk_geometry(path: Path, kind: FileFormat) -> Geometry:
    """The grid from the header alone."""
    from NoisyLabelSegLib.cases.geometry import geometry_of

    with _opened(path, kind) as reader:
        return _without_resolution(geometry_of(reader), kind)


def read_itk(path: Path, kind: FileFormat) -> Image:
    """The whole image; a damaged or truncated file is refused."""
    from NoisyLabelSegLib.cases.geometry import from_itk

    with _opened(path, kind) as reader:
        image = from_itk(reader.Execute())
    if kind is FileFormat.NIFTI and not nifti_is_whole(path):
        raise _damaged(path, kind, "fewer voxels than the header promises")
    if kind in _PICTURES and len(image.channels) in (2, 4):
        opaque = image.channels[:-1]  # the last one is transparency
        image = Image(opaque[0] if len(opaque) == 1 else opaque, image.geometry)
    return Image(image.array, _without_resolution(image.geometry, kind))


def read_4d_nifti(path: Path) -> Image:
    """A 4D NIfTI file, as the Medical Segmentation Decathlon has them, as channels (C, z, y, x)."""
    from NoisyLabelSegLib.cases.geometry import from_itk

    with _opened(path, FileFormat.NIFTI, dimensions=(4,)) as reader:
        image = reader.Execute()
    if not nifti_is_whole(path):
        raise _damaged(path, FileFormat.NIFTI, "fewer voxels than the header promises")
    channels = [from_itk(image[..., number]) for number in range(image.GetSize()[3])]
    return Image(np.stack([channel.array for channel in channels]), channels[0].geometry)


def nifti_channels(path: Path) -> int:
    """The number of channels of a 4D NIfTI file by its header; 1 for any other file."""
    with path.open("rb") as file:
        zipped = file.read(2) == b"\x1f\x8b"
    try:
        with gzip.open(path) if zipped else path.open("rb") as file:
            header = file.read(56)
        for order in "<>":
            if struct.unpack_from(f"{order}i", header)[0] == 348:
                sizes = struct.unpack_from(f"{order}8h", header, 40)
                return int(sizes[4]) if sizes[0] == 4 and sizes[4] > 1 else 1
    except (OSError, EOFError, struct.error, zlib.error):
        return 1  # not a NIfTI file, or a damaged one, which reading refuses
    return 1


@contextmanager
def _opened(path: Path, kind: FileFormat, dimensions: tuple[int, ...] = (2, 3)) -> Iterator[Any]:
    """A SimpleITK reader that has read and checked the header; whatever ITK dislikes becomes our sentence."""
    import SimpleITK as sitk

    require_sound_header(path, kind)
    reader = sitk.ImageFileReader()
    reader.SetImageIO(_ITK_NAMES[kind])
    try:
        with quiet_libraries(), _named_for_itk(path, kind) as name:
            reader.SetFileName(str(name))
            reader.ReadImageInformation()
            _refuse_impossible_header(reader, path, kind, dimensions)
            yield reader
    except (RuntimeError, ValueError, MemoryError) as error:
        raise _damaged(path, kind, error) from error


@contextmanager
def _named_for_itk(path: Path, kind: FileFormat) -> Iterator[Path]:
    """The path itself, or a link to it with the ending that niftilib insists on."""
    if kind is not FileFormat.NIFTI or path.name.lower().endswith(
        (".nii", ".nii.gz", ".hdr", ".img", ".hdr.gz", ".img.gz")
    ):
        yield path
        return
    with tempfile.TemporaryDirectory() as folder, path.open("rb") as file:
        link = Path(folder) / ("image.nii.gz" if file.read(2) == b"\x1f\x8b" else "image.nii")
        try:
            link.symlink_to(path.resolve())
        except OSError:  # Windows lets only some users make links
            shutil.copyfile(path, link)
        yield link


def _refuse_impossible_header(reader: Any, path: Path, kind: FileFormat, dimensions: tuple[int, ...]) -> None:
    size, dimension = reader.GetSize(), reader.GetDimension()
    if dimension not in dimensions:
        raise UserError(
            f"has {dimension} dimensions",
            file=path,
            remedy="export one 2D or 3D image; of a time series, one time point",
        )
    voxels = 1
    for length in size:
        voxels *= int(length)
    if voxels == 0:
        raise UserError("has no voxels", file=path, remedy="export it again")
    on_disk = sum(os.path.getsize(file) for file in _data_files(path, kind))
    if voxels * reader.GetNumberOfComponents() > on_disk * _HIGHEST_COMPRESSION * 8:
        raise UserError(
            f"claims {' x '.join(map(str, size))} voxels, far more than its {on_disk} bytes can hold",
            file=path,
            remedy="its header is damaged; copy or export it again",
        )
    require_memory(path, voxels * reader.GetNumberOfComponents() * _value_bytes(reader))
    numbers = [*reader.GetSpacing(), *reader.GetOrigin(), *reader.GetDirection()]
    inside = all(LEAST_EDGE <= edge <= LARGEST_EDGE for edge in reader.GetSpacing())
    if not inside or not np.less_equal(np.abs(numbers), LARGEST_POSITION).all():
        raise UserError(
            "has a spacing, origin or direction that is not a usable number", file=path, remedy="correct its header"
        )


def _value_bytes(reader: Any) -> int:
    """Bytes of one value, such as 2 for a "16-bit signed integer"."""
    import SimpleITK as sitk

    name = sitk.GetPixelIDValueAsString(reader.GetPixelID())
    bits = [int(word) for word in name.replace("-", " ").split() if word.isdecimal()]
    return bits[0] // 8 if bits else 8


def _data_files(path: Path, kind: FileFormat) -> list[Path]:
    """The file and, for headers with the voxels beside them (.nhdr, .mhd, .hdr), their neighbors of the same stem."""
    if kind in (FileFormat.NRRD, FileFormat.META_IMAGE, FileFormat.NIFTI) and path.suffix.lower() in (
        ".nhdr",
        ".mhd",
        ".hdr",
    ):
        return [file for file in path.parent.iterdir() if file.is_file()]
    return [path]


def _without_resolution(geometry: Geometry, kind: FileFormat) -> Geometry:
    """Pictures count pixels: their dots-per-inch tags say nothing about the patient."""
    return replace(geometry, spacing=(1.0,) * geometry.dimension) if kind in _PICTURES else geometry


def _damaged(path: Path, kind: FileFormat, error: Exception | str) -> UserError:
    return UserError(
        f"looks like {kind.value} but is damaged or truncated",
        file=path,
        remedy="copy or export it again",
        detail=str(error),
    )
