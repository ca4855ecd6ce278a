"""What kind of file a path is, told by its first bytes rather than by its name."""

from __future__ import annotations

import gzip
import struct
import zlib
from enum import Enum
from pathlib import Path

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.untrusted import open_regular

_ENDINGS = (
    ".seg.nrrd",
    ".seg.nhdr",
    ".nrrd",
    ".nhdr",
    ".nii.gz",
    ".nii",
    ".mha",
    ".mhd",
    ".png",
    ".tif",
    ".tiff",
    ".dcm",
)


class FileFormat(Enum):
    """The formats that can be read; the value is the name people know."""

    NRRD = "NRRD"
    SEGMENTATION = "Slicer segmentation (.seg.nrrd)"
    NIFTI = "NIfTI"
    META_IMAGE = "MetaImage"
    PNG = "PNG"
    TIFF = "TIFF"
    DICOM = "DICOM"
    DICOM_FOLDER = "DICOM folder"


def kind_of(path: Path) -> FileFormat:
    """The kind of a file or folder; anything else is refused with a sentence that names it."""
    if path.is_dir():
        return FileFormat.DICOM_FOLDER
    head = _first_bytes(path)
    if not head:
        raise UserError("is empty", file=path, remedy="copy or export it again")
    kind = _recognize(head)
    if kind is None:
        raise UserError(
            "is not in a format that can be read",
            file=path,
            remedy="convert it to NRRD, NIfTI, MetaImage, PNG, TIFF or DICOM",
        )
    return kind


def plain_stem(path: Path) -> str:
    """The file's name without its ending; endings of two parts (.nii.gz, .seg.nrrd) go whole."""
    name = path.name
    for ending in sorted(_ENDINGS, key=len, reverse=True):
        if name.lower().endswith(ending):
            return name[: -len(ending)]
    return name


def looks_like_an_image(path: Path) -> bool:
    """Whether a file of a folder should be read: by its ending, or by its first bytes where the ending says nothing."""
    return path.name.lower().endswith(_ENDINGS) or (not path.suffix and _recognize(_first_bytes(path)) is not None)


def _recognize(head: bytes) -> FileFormat | None:
    if head.startswith(b"NRRD000"):
        header = head.split(b"\n\n", 1)[0]
        return FileFormat.SEGMENTATION if b"Segment0_ID:=" in header or b"Segmentation_" in header else FileFormat.NRRD
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return FileFormat.PNG
    if head[:4] in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"):
        return FileFormat.TIFF
    if head[128:132] == b"DICM":
        return FileFormat.DICOM
    if _is_nifti(head):
        return FileFormat.NIFTI
    if head.startswith(b"\x1f\x8b") and _is_nifti(_unzip(head)):
        return FileFormat.NIFTI
    first_line = head.split(b"\n", 1)[0]
    return FileFormat.META_IMAGE if first_line.split(b"=")[0].strip() in (b"ObjectType", b"NDims", b"Comment") else None


def _is_nifti(head: bytes) -> bool:
    if len(head) < 348:
        return False
    length = {struct.unpack("<i", head[:4])[0], struct.unpack(">i", head[:4])[0]}
    return bool((348 in length and head[344:348] in (b"n+1\0", b"ni1\0")) or 540 in length)


def _unzip(head: bytes) -> bytes:
    try:
        return zlib.decompressobj(wbits=31).decompress(head, 4096)
    except (zlib.error, gzip.BadGzipFile):
        return b""


def _first_bytes(path: Path, count: int = 65536) -> bytes:
    with open_regular(path) as file:
        return file.read(count)
