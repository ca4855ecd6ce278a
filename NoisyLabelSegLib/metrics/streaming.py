"""Reads the components of a large image a block of voxels at a time: a whole field need not fit in memory."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import read_image
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.metrics.counts import chunks

Block = NDArray[np.float32]

_LONGEST_HEADER = 1 << 16
_READ_BYTES = 1 << 20
_ELSEWHERE = ("data file", "datafile", "line skip", "lineskip", "byte skip", "byteskip")
_GZIP = 31  # zlib's window bits for a gzip stream


def component_blocks(path: Path, components: int, voxels: int) -> Iterator[tuple[slice, Block]]:
    """Yields the voxels of each of `chunks(voxels)` and their components, (C, n) float32, in the order of the file.

    Streams NRRD as this project writes it (float32 in one gzip file); any other file is read whole.
    """
    header = _header(path)
    if header is None:
        whole = read_image(path).channels.reshape(components, -1)
        for part in chunks(voxels):
            yield part, whole[:, part].astype(np.float32, copy=False)
        return
    with path.open("rb") as file:
        file.seek(header.bytes)
        stream = _Unzipped(file, path)
        for part in chunks(voxels):
            count = (part.stop - part.start) * components
            values = np.frombuffer(stream.read(count * 4), dtype="<f4").reshape(-1, components)
            yield part, np.ascontiguousarray(values.T)


def component_count(path: Path) -> int:
    """How many components a voxel of the file has."""
    header = _header(path)
    return len(read_image(path).channels) if header is None else header.components


@dataclass(frozen=True)
class _Header:
    components: int
    bytes: int


def _header(path: Path) -> _Header | None:
    """The header of a file that can be streamed, or None."""
    with path.open("rb") as file:
        start = file.read(_LONGEST_HEADER)
    text, end, _ = start.partition(b"\n\n")
    if not start.startswith(b"NRRD000") or not end:
        return None
    pairs = (line.split(": ", 1) for line in text.decode("ascii", "replace").splitlines() if ": " in line)
    fields: dict[str, Any] = {pair[0]: pair[1].strip() for pair in pairs}
    plain = fields.get("type") == "float" and fields.get("endian") == "little" and fields.get("encoding") == "gzip"
    first = fields.get("kinds", "").split()[:1]
    if not plain or first not in (["vector"], ["list"]) or any(name in fields for name in _ELSEWHERE):
        return None
    return _Header(int(fields["sizes"].split()[0]), len(text) + len(end))


class _Unzipped:
    """Bytes of a gzip stream on demand; what is unpacked but not yet asked for is kept small."""

    def __init__(self, file: IO[bytes], path: Path) -> None:
        self._file, self._path = file, path
        self._unzip = zlib.decompressobj(_GZIP)

    def read(self, count: int) -> bytes:
        parts, missing = [], count
        while missing:
            packed = self._unzip.unconsumed_tail or self._file.read(_READ_BYTES)
            if not packed:
                raise UserError("is damaged or truncated", file=self._path, remedy="write the predictions again")
            try:
                parts.append(self._unzip.decompress(packed, missing))
            except zlib.error as error:
                remedy = "write the predictions again"
                raise UserError("is damaged", file=self._path, remedy=remedy, detail=str(error)) from error
            missing -= len(parts[-1])
        return b"".join(parts)
