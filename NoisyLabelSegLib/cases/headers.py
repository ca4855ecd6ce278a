"""Headers of NRRD, MetaImage and NIfTI files, checked before ITK reads them.

ITK's readers of these formats end the whole process, or never return, on some damaged headers, and they open whatever
file a header names. Inside Slicer that would cost the user's work.
"""

from __future__ import annotations

import math
import re
import struct
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from NoisyLabelSegLib.cases.file_kinds import FileFormat
from NoisyLabelSegLib.cases.study_rules import path_problem
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.untrusted import LARGEST_EDGE, LEAST_EDGE, open_regular

LARGEST_POSITION = 1e9
_LONGEST_HEADER = 1 << 24
_LONGEST_NRRD_FIELD = 512  # the reader's messages overflow from about 800 characters on
_LONGEST_META_KEY, _LONGEST_META_VALUE = 128, 4096
_MOST_AXES = 16

_NRRD_FIELDS = frozenset(
    name
    for spelled in (
        *("content", "number", "type", "block size", "dimension", "space", "space dimension", "sizes", "spacings"),
        *("thicknesses", "axis mins", "axis maxs", "space directions", "centers", "centerings", "kinds", "labels"),
        *("units", "min", "max", "old min", "old max", "endian", "encoding", "line skip", "byte skip"),
        *("sample units", "space units", "space origin", "measurement frame", "data file"),
    )
    for name in (spelled, spelled.replace(" ", ""))
)


def require_sound_header(path: Path, kind: FileFormat) -> None:
    """Refuses a header that ITK must not see, with the reason; files without such a header pass."""
    checks = {
        FileFormat.NRRD: _nrrd_problem,
        FileFormat.SEGMENTATION: _nrrd_problem,
        FileFormat.META_IMAGE: _meta_image_problem,
        FileFormat.NIFTI: _nifti_problem,
    }
    if kind not in checks:
        return
    with open_regular(path) as file:
        head = file.read(_LONGEST_HEADER)
    if problem := checks[kind](head):
        raise UserError(
            f"looks like {kind.value} but is damaged: {problem}", file=path, remedy="copy or export it again"
        )


def data_file_problem(name: str) -> str | None:
    """Why a header may not name this file as the place of its voxels: it must lie below the header's folder."""
    problem = path_problem(name)
    return None if problem is None else f"the file of its voxels {problem.replace('study', 'header')}"


def _nrrd_problem(head: bytes) -> str | None:
    text, end, _ = head.replace(b"\r\n", b"\n").partition(b"\n\n")
    lines = text.split(b"\n")[1:]
    detached = None
    for number, line in enumerate(lines, start=2):
        if line.startswith(b"#"):
            continue
        name, colon, value = line.partition(b": ")
        field = name.decode("latin-1").strip().lower()
        if not colon or field not in _NRRD_FIELDS:
            if b":=" in line:  # a key and its value, of any length
                continue
            return f"line {number} of its header is neither a field nor a key with a value"
        if len(line) > _LONGEST_NRRD_FIELD and field != "content":
            return f"line {number} of its header has {len(line)} characters"
        words = value.decode("latin-1").strip()
        if field in ("data file", "datafile"):
            detached = (words, lines[number - 1 :])
            break  # a list of files may follow
        if problem := _nrrd_field_problem(field, words):
            return problem
    if detached is not None:
        return _first_problem(data_file_problem(name) for name in _nrrd_data_files(*detached))
    return None if end else "its header has no end"


def _nrrd_data_files(value: str, rest: list[bytes]) -> Iterator[str]:
    """The files that `data file: NAME`, `data file: FORMAT MIN MAX STEP` or `data file: LIST` names."""
    if value.split()[:1] != ["LIST"]:
        yield value
        return
    for line in rest:
        yield line.decode("utf-8", "replace").strip() or "(an empty name)"


def _nrrd_field_problem(field: str, value: str) -> str | None:
    if field in ("dimension", "sizes"):
        most = _MOST_AXES if field == "dimension" else 2**40
        numbers = value.split()
        if not numbers or not all(word.isdecimal() and len(word) < 16 and int(word) <= most for word in numbers):
            return f"its {field} are {value[:60]!r}"
    if field in ("space directions", "spacedirections"):
        steps = [_numbers(vector) for vector in re.findall(r"\(([^)]*)\)", value)]
        return _edges_problem([math.hypot(*step) if step else math.nan for step in steps])
    if field == "spacings":
        return _edges_problem([abs(step) for step in _numbers(value) if not math.isnan(step)])
    if field in ("space origin", "spaceorigin"):
        return _position_problem(_numbers(value.strip("()")))
    return None


def _meta_image_problem(head: bytes) -> str | None:
    fields: dict[str, str] = {}
    lines = iter(head.split(b"\n"))
    for number, line in enumerate(lines, start=1):
        match = re.match(rb"\s*([^=:]*?)\s*[=:]\s*(.*?)\s*$", line, re.DOTALL)
        if match is None:
            if not line.strip():
                continue
            return f"line {number} of its header is not a key with a value"
        if len(match[1]) > _LONGEST_META_KEY or len(match[2]) > _LONGEST_META_VALUE:
            return f"line {number} of its header has {len(line)} characters"
        key, value = match[1].decode("latin-1"), match[2].decode("utf-8", "replace")
        if key in fields and key != "Comment":
            return f"its header has {key[:60]!r} twice"
        fields[key] = value
        if key == "ElementDataFile":
            return _meta_fields_problem(fields) or _first_problem(
                data_file_problem(name) for name in _meta_data_files(value, lines)
            )
    return "its header does not say where its voxels are"


def _meta_data_files(value: str, rest: Iterable[bytes]) -> Iterator[str]:
    words = value.split()
    if words[:1] == ["LIST"]:
        for line in rest:
            if line.strip():
                yield line.decode("utf-8", "replace").strip()
    elif value.upper() != "LOCAL":
        yield value


def _meta_fields_problem(fields: dict[str, str]) -> str | None:
    axes = fields.get("NDims", "")
    if not re.fullmatch(r"[1-9]", axes):
        return f"it has {axes[:60]!r} dimensions"
    sizes = fields.get("DimSize", "").split()
    if len(sizes) != int(axes) or not all(re.fullmatch(r"\d{1,12}", size) for size in sizes):
        return f"its DimSize is {fields.get('DimSize', '')[:60]!r}"
    if not re.fullmatch(r"\d{1,6}", fields.get("ElementNumberOfChannels", "1")):
        return f"it has {fields['ElementNumberOfChannels'][:60]!r} channels"
    if not re.fullmatch(r"-1|\d{1,12}", fields.get("HeaderSize", "0")):
        return f"its HeaderSize is {fields['HeaderSize'][:60]!r}"
    for key, count in _META_NUMBERS.items():
        if key in fields:
            numbers = _numbers(fields[key])
            if len(numbers) != int(axes) ** count:
                return f"its {key} has {len(numbers)} numbers"
            check = _edges_problem if key in ("ElementSpacing", "ElementSize") else _position_problem
            if problem := check(numbers):
                return problem
    return None


_META_NUMBERS = {
    **dict.fromkeys(("ElementSpacing", "ElementSize", "Offset", "Origin", "Position", "CenterOfRotation"), 1),
    **dict.fromkeys(("TransformMatrix", "Rotation", "Orientation"), 2),
}
"""Fields of numbers, one per axis or, of matrices, one per pair of axes."""


def _nifti_problem(head: bytes) -> str | None:
    if head.startswith(b"\x1f\x8b"):
        try:
            head = zlib.decompressobj(wbits=31).decompress(head, 4096)
        except zlib.error:
            return "its compressed data cannot be unpacked"
    for order in "<>":
        if head[:4] == struct.pack(f"{order}i", 348):
            dimension = struct.unpack_from(f"{order}h", head, 40)[0]
            edges = struct.unpack_from(f"{order}8f", head, 76)
            offset = struct.unpack_from(f"{order}f", head, 108)[0]
            places = struct.unpack_from(f"{order}18f", head, 256)
            break
        if head[:4] == struct.pack(f"{order}i", 540) and len(head) >= 540:
            dimension = struct.unpack_from(f"{order}q", head, 16)[0]
            edges = struct.unpack_from(f"{order}8d", head, 104)
            offset = float(struct.unpack_from(f"{order}q", head, 168)[0])
            places = struct.unpack_from(f"{order}18d", head, 352)
            break
    else:
        return "its header is not that of NIfTI"
    if not 1 <= dimension <= 7:
        return f"it has {dimension} dimensions"
    if not 0 <= offset < 2**40:
        return f"its voxels begin at byte {offset:g}"
    return _edges_problem([abs(edge) for edge in edges[1 : 1 + dimension] if edge]) or _position_problem(places)


def _numbers(text: str) -> list[float]:
    """The numbers of a text, NaN for a word that is none."""

    def number(word: str) -> float:
        try:
            return float(word)
        except ValueError:
            return math.nan

    return [number(word) for word in text.replace(",", " ").split()]


def _edges_problem(edges: Iterable[float]) -> str | None:
    wrong = [edge for edge in edges if not LEAST_EDGE <= abs(edge) <= LARGEST_EDGE]
    return f"its spacing is {wrong[0]:g} mm" if wrong else None


def _position_problem(numbers: Iterable[float]) -> str | None:
    wrong = [number for number in numbers if not abs(number) <= LARGEST_POSITION]
    return f"its position in space has the number {wrong[0]:g}" if wrong else None


def _first_problem(problems: Iterable[str | None]) -> str | None:
    return next((problem for problem in problems if problem is not None), None)
