"""Named segments that may overlap, as Slicer and DICOM SEG keep them, and the way from there to plain labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases.file_kinds import FileFormat
from NoisyLabelSegLib.cases.geometry import Geometry, Image
from NoisyLabelSegLib.errors import UserError

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Segment:
    """The voxels of one layer that have this value. `color` is red, green, blue from 0 to 1.

    `fields` keeps what else the file said about the segment, so that it can be written back.
    """

    name: str
    value: int
    layer: int = 0
    color: tuple[float, float, float] | None = None
    id: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Segmentation:
    """Segments on one grid. `layers` is (K, *shape) uint8 or uint16; segments that overlap lie in different layers.

    Voxels whose value no segment names belong to none. `source` is the file that errors name.
    """

    geometry: Geometry
    layers: NDArray[Any]
    segments: tuple[Segment, ...]
    source: Path | None = None
    fields: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_labels(cls, labels: Image, classes: Sequence[str]) -> Segmentation:
        """One segment per class but the first, which is the background; each keeps its label as its value."""
        segments = tuple(Segment(name, value) for value, name in enumerate(classes) if value > 0)
        return cls(labels.geometry, labels.array[None], segments)

    @classmethod
    def from_masks(cls, geometry: Geometry, masks: Iterable[tuple[Segment, Mask]]) -> Segmentation:
        """Packs masks (*shape) into as few layers as the given order allows; the segments' `layer` is set here."""
        masks = list(masks)
        packer = LayerPacker(geometry.shape, max((segment.value for segment, _ in masks), default=1))
        segments = [replace(segment, layer=packer.add({...: mask}, segment.value)) for segment, mask in masks]
        return cls(geometry, packer.layers, tuple(segments))

    def mask(self, segment: Segment) -> Mask:
        """Where the segment is, (*shape) bool."""
        return np.asarray(self.layers[segment.layer] == segment.value)

    @cached_property
    def overlap(self) -> bool:
        """Whether any voxel belongs to more than one segment."""
        if len({(segment.layer, segment.value) for segment in self.segments}) < len(self.segments):
            return True
        taken = np.zeros(self.geometry.shape, np.bool_)
        for index, layer in enumerate(self.layers):
            known = self._table(index, [1] * len(self.segments))[layer].astype(np.bool_)
            if (known & taken).any():
                return True
            taken |= known
        return False

    def as_labels(self, numbers: Mapping[str, int] | None = None) -> Image:
        """One label per voxel, uint8; overlapping segments are refused.

        `numbers` gives the label for each segment name. Without it segments keep their values where each has its own
        from 1 to 255, and are numbered 1, 2, ... in their order otherwise.
        """
        if self.overlap:
            names = ", ".join(segment.name for segment in self.segments)
            raise UserError(
                f"has segments that overlap ({names}), so they cannot become one label image",
                file=self.source,
                remedy="save each as a label image of its own (a DICOM SEG: noisylabelseg import dicom-seg does it)",
            )
        labels = np.zeros(self.geometry.shape, np.uint8)
        chosen = self._own_numbers() if numbers is None else [numbers[segment.name] for segment in self.segments]
        for index, layer in enumerate(self.layers):
            labels |= self._table(index, chosen)[layer]
        return Image(labels, self.geometry)

    def _own_numbers(self) -> Sequence[int]:
        values = [segment.value for segment in self.segments]
        if len(values) > 255:
            raise UserError(
                f"has {len(values)} segments", file=self.source, remedy="labels are uint8: keep 255 segments or fewer"
            )
        if len(set(values)) == len(values) and all(1 <= value <= 255 for value in values):
            return values
        return range(1, len(values) + 1)

    def _table(self, layer: int, numbers: Sequence[int]) -> NDArray[np.uint8]:
        """Looks up the number of a voxel by its value in this layer."""
        table = np.zeros(np.iinfo(self.layers.dtype).max + 1, np.uint8)
        for segment, number in zip(self.segments, numbers, strict=True):
            if segment.layer == layer:
                table[segment.value] = number
        return table


class LayerPacker:
    """Puts each segment into the first layer where it meets no other, as Slicer does."""

    def __init__(self, shape: tuple[int, ...], highest_value: int) -> None:
        self._dtype = np.uint8 if highest_value <= 255 else np.uint16
        self._shape = shape
        self._layers: list[NDArray[Any]] = []

    @property
    def layers(self) -> NDArray[Any]:
        """(K, *shape), at least one layer."""
        return np.stack(self._layers or [np.zeros(self._shape, self._dtype)])

    def add(self, planes: Mapping[Any, Mask], value: int) -> int:
        """Places masks given by the index of their plane (... for the whole array); returns the layer they went to."""
        number = next((n for n, layer in enumerate(self._layers) if _is_free(layer, planes)), len(self._layers))
        if number == len(self._layers):
            self._layers.append(np.zeros(self._shape, self._dtype))
        for place, mask in planes.items():
            self._layers[number][place][mask] = value
        return number


def read_segments(path: str | Path, kind: FileFormat) -> Segmentation:
    """The segments of a Slicer segmentation or a DICOM SEG."""
    path = Path(path)
    if kind is FileFormat.SEGMENTATION:
        from NoisyLabelSegLib.cases.seg_nrrd import read_seg_nrrd

        return read_seg_nrrd(path)
    from NoisyLabelSegLib.cases.dicom_seg import read_dicom_seg

    return read_dicom_seg(path)


def _is_free(layer: NDArray[Any], planes: Mapping[Any, Mask]) -> bool:
    return not any(layer[place][mask].any() for place, mask in planes.items())
