"""Large fields that a worker left uncompressed, read where they lie: only the part that is looked at is loaded."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.errors import UserError

_TYPES = {"unsigned char": "u1", "uint8": "u1", "float": "f4"}
_LONGEST_HEADER = 1 << 16
_VOXELS_AT_ONCE = 1 << 23


def map_nrrd(path: str | Path) -> NDArray[Any]:
    """The voxels of an uncompressed NRRD file as a read-only memory map: (*shape), or (*shape, C) with components."""
    path = Path(path)
    with path.open("rb") as file:
        header, end, _ = file.read(_LONGEST_HEADER).partition(b"\n\n")
    lines = [line.partition(":") for line in header.decode("ascii", errors="replace").splitlines()[1:]]
    fields = {name: value.strip() for name, colon, value in lines if colon}
    order = {"little": "<", "big": ">"}.get(fields.get("endian", "little"), "<")
    if not end or fields.get("encoding") != "raw" or fields.get("type") not in _TYPES:
        raise UserError("is not an uncompressed NRRD file of labels or probabilities", file=path)
    shape = tuple(int(size) for size in reversed(fields["sizes"].split()))
    return np.memmap(path, dtype=order + _TYPES[fields["type"]], mode="r", offset=len(header) + 2, shape=shape)


def part_by_part(mapped: NDArray[Any]) -> Generator[str, None, NDArray[Any]]:
    """Copies an array (*shape) from the disk into memory, a few slices a step, and returns it."""
    array = np.empty(mapped.shape, dtype=mapped.dtype.newbyteorder("="))
    slices = max(1, _VOXELS_AT_ONCE * len(array) // max(array.size, 1))
    for start in range(0, len(array), slices):
        yield ""
        array[start : start + slices] = mapped[start : start + slices]
    return array
