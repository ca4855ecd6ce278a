"""Whether a NIfTI file holds all the voxels its header promises; ITK fills what is missing with zeros, silently."""

from __future__ import annotations

import gzip
import math
import struct
from pathlib import Path


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
