"""Slicer's .seg.nrrd: an NRRD whose header names the segments, with a first axis of layers where they overlap."""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases.file_kinds import FileFormat
from NoisyLabelSegLib.cases.geometry import Geometry
from NoisyLabelSegLib.cases.itk_files import read_itk
from NoisyLabelSegLib.cases.segments import Segment, Segmentation
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.output import output_file

_COLORS = ((0.5, 0.68, 0.5), (0.95, 0.84, 0.57), (0.69, 0.48, 0.4), (0.44, 0.72, 0.82), (0.85, 0.4, 0.31))
_NRRD_TYPES = {"uint8": "unsigned char", "uint16": "unsigned short"}


def read_seg_nrrd(path: str | Path) -> Segmentation:
    """All segments with their names, colors, ids and layers, whether they overlap or not."""
    path = Path(path)
    image = read_itk(path, FileFormat.SEGMENTATION)
    layers = _unsigned(image.channels, path)
    fields = _key_values(path)
    numbers = sorted({int(match[1]) for key in fields if (match := re.match(r"Segment(\d{1,9})_", key))})
    one_each = len(layers) == len(numbers)
    return Segmentation(
        geometry=image.geometry,
        layers=layers,
        segments=tuple(_segment(number, fields, layers, path, one_each=one_each) for number in numbers),
        source=path,
        fields={key: value for key, value in fields.items() if not re.match(r"Segment\d+_", key)},
    )


def write_seg_nrrd(path: str | Path, segmentation: Segmentation, *, force: bool = True) -> None:
    """Writes the segments so that Slicer, SimpleITK and slicerio read the same voxels, names and colors."""
    geometry, layers = _as_volume(segmentation.geometry, segmentation.layers)
    several = len(layers) > 1
    lines = [
        "NRRD0004",
        f"type: {_NRRD_TYPES[layers.dtype.name]}",
        f"dimension: {4 if several else 3}",
        "space: left-posterior-superior",
        f"sizes: {f'{len(layers)} ' if several else ''}{' '.join(str(n) for n in reversed(geometry.shape))}",
        f"space directions: {'none ' if several else ''}{' '.join(_vector(axis) for axis in _axes(geometry))}",
        f"kinds: {'list ' if several else ''}domain domain domain",
        "endian: little",
        "encoding: gzip",
        f"space origin: {_vector(geometry.origin)}",
        *(f"{key}:={_escape(value)}" for key, value in _fields(segmentation, geometry).items()),
    ]
    voxels = np.moveaxis(layers, 0, -1).astype(layers.dtype.newbyteorder("<"))
    with output_file(path, force=force) as partial:
        packed = gzip.compress(np.ascontiguousarray(voxels).tobytes(), compresslevel=1, mtime=0)
        partial.write_bytes("\n".join(lines).encode() + b"\n\n" + packed)


def _unsigned(layers: NDArray[Any], path: Path) -> NDArray[Any]:
    if not np.issubdtype(layers.dtype, np.integer) or layers.min(initial=0) < 0 or layers.max(initial=0) > 65535:
        raise UserError("has label values outside 0 to 65535", file=path, remedy="save the segmentation again")
    return layers.astype(np.uint8 if layers.dtype.itemsize == 1 else np.uint16, copy=False)


def _key_values(path: Path) -> dict[str, str]:
    """The `key:=value` lines of the header."""
    with path.open("rb") as file:
        lines = iter(file.readline, b"")
        header = []
        for line in lines:
            text = line.rstrip(b"\r\n").decode("utf-8", errors="replace")
            if not text:
                break
            header.append(text)
    pairs = (text.split(":=", 1) for text in header if ":=" in text and not text.startswith("#"))
    return {key: _unescape(value) for key, value in pairs}


def _segment(index: int, fields: Mapping[str, str], layers: NDArray[Any], path: Path, *, one_each: bool) -> Segment:
    prefix = f"Segment{index}_"
    own = {key[len(prefix) :]: value for key, value in fields.items() if key.startswith(prefix)}
    try:
        value = int(own.pop("LabelValue", 1))
        # Before layers were shared, Slicer wrote one component per segment and did not number them.
        layer = int(own.pop("Layer", index if one_each else 0))
        numbers = [float(number) for number in own.pop("Color", "").split()]
    except ValueError as error:
        raise UserError(
            f"describes segment {index} with a color, label value or layer that is not a number",
            file=path,
            remedy="save the segmentation again",
        ) from error
    if not 0 <= layer < len(layers) or not 1 <= value <= np.iinfo(layers.dtype).max:
        raise UserError(
            f"puts segment {index} at label value {value} of layer {layer}, which it does not have",
            file=path,
            remedy="save the segmentation again",
        )
    color = (numbers[0], numbers[1], numbers[2]) if len(numbers) == 3 else None
    name, id = own.pop("Name", ""), own.pop("ID", "")
    return Segment(name or id or f"Segment_{index + 1}", value, layer, color, id, own)


def _fields(segmentation: Segmentation, geometry: Geometry) -> dict[str, str]:
    whole = " ".join(f"0 {length - 1}" for length in reversed(geometry.shape))
    fields: dict[str, str] = {}
    for index, segment in enumerate(segmentation.segments):
        color = segment.color or _COLORS[index % len(_COLORS)]
        own = {
            "Color": " ".join(f"{part:.6g}" for part in color),
            "ColorAutoGenerated": "1" if segment.color is None else "0",
            # Older Slicer versions crop a whole layer to the extent of its first segment.
            "Extent": whole,
            "NameAutoGenerated": "0",
            "Tags": "",
            **segment.fields,
            "ID": segment.id or f"Segment_{index + 1}",
            "LabelValue": str(segment.value),
            "Layer": str(segment.layer),
            "Name": segment.name,
        }
        fields |= {f"Segment{index}_{key}": value for key, value in sorted(own.items())}
    defaults = {
        "Segmentation_ContainedRepresentationNames": "Binary labelmap|",
        "Segmentation_MasterRepresentation": "Binary labelmap",
        "Segmentation_ReferenceImageExtentOffset": "0 0 0",
    }
    return fields | defaults | dict(segmentation.fields)


def _as_volume(geometry: Geometry, layers: NDArray[Any]) -> tuple[Geometry, NDArray[Any]]:
    """A picture becomes a volume of one slice, for Slicer knows no other segmentations."""
    if geometry.dimension == 3:
        return geometry, layers
    direction = np.eye(3)
    direction[:2, :2] = np.reshape(geometry.direction, (2, 2))
    volume = replace(
        geometry,
        shape=(1, *geometry.shape),
        spacing=(*geometry.spacing, 1.0),
        origin=(*geometry.origin, 0.0),
        direction=tuple(direction.ravel().tolist()),
    )
    return volume, layers[:, None]


def _axes(geometry: Geometry) -> NDArray[np.float64]:
    """Rows are the steps along x, y and z in millimeters."""
    return geometry.index_to_point_matrix.T


def _vector(numbers: Any) -> str:
    return f"({','.join(repr(float(number)) for number in numbers)})"


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n")


def _unescape(value: str) -> str:
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], value)
