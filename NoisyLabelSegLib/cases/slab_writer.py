"""Writes large fields slab by slab, so that no more than one slab of them is ever in memory."""

from __future__ import annotations

import math
import re
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases.geometry import Geometry, Image, to_itk
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.output import output_file

_GZIP_WINDOW = 31  # zlib's window bits for a gzip stream
_VALUES_AT_ONCE = 1 << 23


def slabs_of(shape: tuple[int, ...], components: int) -> Iterator[slice]:
    """Slices of the first axis of a field (components, *shape) that cover it, each of a handy size."""
    rows = max(1, _VALUES_AT_ONCE // max(components * math.prod(shape[1:]), 1))
    for start in range(0, shape[0], rows):
        yield slice(start, min(start + rows, shape[0]))


def write_slabs(
    path: Path,
    slabs: Iterable[NDArray[Any]],
    components: int,
    geometry: Geometry,
    *,
    number: type[Any] = np.float32,
    compressed: bool = True,
) -> None:
    """Writes a field as NRRD with components of the type `number`, float32 or uint8.

    slabs: parts (components, n, *rest of the shape) of the field along its first axis, in order.
    """
    little = np.dtype(number).newbyteorder("<")
    with output_file(path) as partial, partial.open("wb") as file:
        file.write(_header(geometry, components, number, compressed))
        packer = zlib.compressobj(1, zlib.DEFLATED, _GZIP_WINDOW) if compressed else None
        missing = components * math.prod(geometry.shape)
        for slab in slabs:
            values = np.ascontiguousarray(np.moveaxis(slab, 0, -1), dtype=little)
            missing -= values.size
            file.write(values.data if packer is None else packer.compress(values.data))
        if missing:
            raise ValueError(f"the slabs lack {missing} values of a field on {geometry.shape}")
        if packer is not None:
            file.write(packer.flush())


def _header(geometry: Geometry, components: int, number: type[Any], compressed: bool) -> bytes:
    """The header that SimpleITK writes for a field of one voxel at the same place, with the sizes of this one."""
    import SimpleITK as sitk

    one = replace(geometry, shape=(1,) * geometry.dimension)
    field = np.zeros((components, *one.shape), dtype=number)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "one.nrrd"
        sitk.WriteImage(to_itk(Image(field, one)), str(file), useCompression=compressed)
        header, end, _ = file.read_bytes().partition(b"\n\n")
    several = (components,) if components > 1 else ()  # of one component SimpleITK writes a volume of numbers
    sizes = " ".join(str(size) for size in (*several, *reversed(geometry.shape)))
    header, count = re.subn(rb"(?m)^sizes: .*$", b"sizes: " + sizes.encode(), header)
    if count != 1:
        raise UserError("cannot be written: SimpleITK wrote a header without sizes")
    return header + end
