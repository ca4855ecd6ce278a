"""NRRD files read in parts: memory-mapped where they are uncompressed, streamed where they are gzip-compressed."""

from __future__ import annotations

import zlib
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases.file_kinds import FileFormat
from NoisyLabelSegLib.cases.files import read_image
from NoisyLabelSegLib.cases.headers import require_sound_header
from NoisyLabelSegLib.errors import UserError

Blocks = Iterator[tuple[slice, NDArray[np.float32]]]

_TYPES = {"unsigned char": "u1", "uint8": "u1", "float": "f4"}
_LONGEST_HEADER = 1 << 16
_READ_BYTES = 1 << 20
_VOXELS_AT_ONCE = 1 << 23
_DETACHED = ("data file", "datafile", "line skip", "lineskip", "byte skip", "byteskip")
"""Fields that say that the voxels do not simply follow the header."""

_GZIP_WINDOW = 31  # zlib's window bits for a gzip stream


def map_nrrd(path: str | Path) -> NDArray[Any]:
    """The voxels of an uncompressed NRRD file as a read-only memory map: (*shape), or (*shape, C) with components."""
    path = Path(path)
    header = _header(path)
    fields = {} if header is None else header.fields
    order = {"little": "<", "big": ">"}.get(fields.get("endian", "little"), "<")
    if header is None or fields.get("encoding") != "raw" or fields.get("type") not in _TYPES:
        raise UserError("is not an uncompressed NRRD file of labels or probabilities", file=path)
    shape = tuple(reversed(header.sizes))
    try:
        return np.memmap(path, dtype=order + _TYPES[fields["type"]], mode="r", offset=header.bytes, shape=shape)
    except (ValueError, OverflowError) as error:
        raise UserError("has fewer voxels than its header says", file=path, remedy="write it again") from error


def part_by_part(mapped: NDArray[Any]) -> Generator[str, None, NDArray[Any]]:
    """Copies an array (*shape) from the disk into memory, a few slices a step, and returns it."""
    array = np.empty(mapped.shape, dtype=mapped.dtype.newbyteorder("="))
    slices = max(1, _VOXELS_AT_ONCE * len(array) // max(array.size, 1))
    for start in range(0, len(array), slices):
        yield ""
        array[start : start + slices] = mapped[start : start + slices]
    return array


def component_count(path: Path) -> int:
    """The number of components per voxel of an image file of any format."""
    header = _streamable(path)
    return len(read_image(path).channels) if header is None else header.sizes[0]


def component_blocks(path: Path, components: int, parts: Iterable[slice]) -> Blocks:
    """Yields each of `parts`, consecutive slices of the flattened voxels, with its components, (C, n) float32.

    Streams NRRD as this library writes it (little-endian float32, gzip, attached header); any other file is read whole.
    """
    header = _streamable(path)
    if header is None:
        whole = read_image(path).channels.reshape(components, -1)
        for part in parts:
            yield part, whole[:, part].astype(np.float32, copy=False)
        return
    with path.open("rb") as file:
        file.seek(header.bytes)
        stream = _GzipStream(file, path)
        for part in parts:
            count = (part.stop - part.start) * components
            values = np.frombuffer(stream.read(count * 4), dtype="<f4").reshape(-1, components)
            yield part, np.ascontiguousarray(values.T)


@dataclass(frozen=True)
class _Header:
    """The fields of an attached header; `sizes` fastest axis first; the voxels begin after `bytes` bytes."""

    fields: dict[str, str]
    bytes: int

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(int(size) for size in self.fields["sizes"].split())


def _header(path: Path) -> _Header | None:
    """None for a file that is not NRRD, or whose header has no end."""
    with path.open("rb") as file:
        start = file.read(_LONGEST_HEADER)
    text, end, _ = start.partition(b"\n\n")
    if not start.startswith(b"NRRD000") or not end:
        return None
    require_sound_header(path, FileFormat.NRRD)
    pairs = (line.partition(":") for line in text.decode("ascii", "replace").splitlines()[1:])
    return _Header({name: value.strip() for name, colon, value in pairs if colon}, len(text) + len(end))


def _streamable(path: Path) -> _Header | None:
    header = _header(path)
    if header is None or any(name in header.fields for name in _DETACHED):
        return None
    form = [header.fields.get(name) for name in ("type", "endian", "encoding")]
    first = header.fields.get("kinds", "").split()[:1]
    return header if form == ["float", "little", "gzip"] and first in (["vector"], ["list"]) else None


class _GzipStream:
    """Bytes of a gzip stream on demand; what is decompressed but not yet requested is kept small."""

    def __init__(self, file: IO[bytes], path: Path) -> None:
        self._file, self._path = file, path
        self._decompressor = zlib.decompressobj(_GZIP_WINDOW)

    def read(self, count: int) -> bytes:
        parts, missing = [], count
        while missing:
            packed = self._decompressor.unconsumed_tail or self._file.read(_READ_BYTES)
            if not packed:
                raise UserError("is damaged or truncated", file=self._path, remedy="write the predictions again")
            try:
                parts.append(self._decompressor.decompress(packed, missing))
            except zlib.error as error:
                remedy = "write the predictions again"
                raise UserError("is damaged", file=self._path, remedy=remedy, detail=str(error)) from error
            missing -= len(parts[-1])
        return b"".join(parts)
