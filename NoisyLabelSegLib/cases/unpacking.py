"""Large compressed images in steps: they are first unpacked into a temporary file, some megabytes a step."""

from __future__ import annotations

import gzip
import tempfile
import zlib
from collections.abc import Generator
from pathlib import Path

from NoisyLabelSegLib.cases.image import Image
from NoisyLabelSegLib.cases.kinds import Kind, kind_of
from NoisyLabelSegLib.cases.reading import read_image
from NoisyLabelSegLib.errors import UserError

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
        if kind is Kind.NRRD:
            header, start = _raw_header(head)
        if head[start : start + 2] != _GZIP or (kind is not Kind.NIFTI and not header):
            return path
        source.seek(start)
        copy = folder / ("image.nrrd" if kind is Kind.NRRD else "image.nii")
        with copy.open("wb") as target, gzip.GzipFile(fileobj=source) as unzipped:
            target.write(header)
            while block := unzipped.read(_BYTES_AT_ONCE):
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
