"""DICOM SEG of every type (BINARY, FRACTIONAL, LABELMAP): its frames become segments on one grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases.dicom_seg_frames import Frame, frames_of, own_geometry, slice_index
from NoisyLabelSegLib.cases.dicom_series import (
    Series,
    dicom_errors,
    is_dicom,
    is_segmentation,
    list_series,
    read_header,
)
from NoisyLabelSegLib.cases.geometry import Geometry
from NoisyLabelSegLib.cases.segments import LayerPacker, Mask, Segment, Segmentation
from NoisyLabelSegLib.errors import UserError


@dataclass(frozen=True)
class References:
    """What a SEG says it was drawn on: UIDs of series, and of single images where it names them."""

    series: frozenset[str]
    instances: frozenset[str]

    def __bool__(self) -> bool:
        return bool(self.series or self.instances)

    def name(self, series: Series) -> bool:
        """Whether this is the series, or holds images, that it was drawn on."""
        return series.uid in self.series or not self.instances.isdisjoint(series.instance_uids)


def is_dicom_seg(path: str | Path) -> bool:
    """Whether a file is a DICOM segmentation, whatever it is called."""
    path = Path(path)
    return is_dicom(path) and is_segmentation(read_header(path, ["SOPClassUID"]))


def read_dicom_seg(
    path: str | Path, *, images: str | Path | Geometry | None = None, threshold: float = 0.5
) -> Segmentation:
    """The segments of a DICOM SEG, with their names, numbers and colors.

    `images` is the folder of the series it was drawn on, or that series' grid: the segments come on that grid where
    their frames lie on it, otherwise (and without it) on the grid that the SEG's own frames span, frames that were
    left out being empty. A FRACTIONAL segment is where its fraction is at least `threshold`.
    """
    path = Path(path)
    if not 0 < threshold <= 1:
        raise UserError(f"The threshold {threshold} is not above 0 and at most 1", remedy="use 0.5, for example")
    grid = _source_geometry(images, path) if isinstance(images, (str, Path)) else images
    seg = _open(path)
    with dicom_errors(path, "is a damaged or incomplete DICOM SEG"):
        if seg.is_tiled:
            return _read_tiled(seg, path, threshold)
        frames = frames_of(seg)
        geometry, places = _place(seg, frames, grid, path)
        return _build(seg, frames, places, geometry, path, threshold)


def references(path: str | Path) -> References:
    """The series and images that a DICOM SEG refers to."""
    header = read_header(Path(path))
    with dicom_errors(Path(path)):
        series = list(header.get("ReferencedSeriesSequence", []))
        instances = [item for one in series for item in one.get("ReferencedInstanceSequence", [])]
        groups = [
            *header.get("SharedFunctionalGroupsSequence", []),
            *header.get("PerFrameFunctionalGroupsSequence", []),
        ]
        derivations = [item for group in groups for item in group.get("DerivationImageSequence", [])]
        instances += [item for derivation in derivations for item in derivation.get("SourceImageSequence", [])]
        return References(
            frozenset(str(one.SeriesInstanceUID) for one in series if "SeriesInstanceUID" in one),
            frozenset(str(item.ReferencedSOPInstanceUID) for item in instances if "ReferencedSOPInstanceUID" in item),
        )


def _open(path: Path) -> Any:
    import highdicom

    if not is_dicom_seg(path):
        raise UserError("is not a DICOM SEG", file=path, remedy="give a segmentation (modality SEG)")
    with dicom_errors(path, "is a damaged or incomplete DICOM SEG"):
        return highdicom.seg.segread(path)


def _source_geometry(folder: str | Path, path: Path) -> Geometry:
    named = references(path)
    for series in list_series(folder):
        if named.name(series):
            return series.ordered()[1]
    raise UserError(f"was not drawn on any series in {folder}", file=path, remedy="give the folder of its images")


def _place(seg: Any, frames: Sequence[Frame], grid: Geometry | None, path: Path) -> tuple[Geometry, list[int]]:
    """The grid of the result and the slice that each frame goes to."""
    if grid is not None and grid.dimension == 3:
        places = [slice_index(grid, frame) for frame in frames]
        found = [place for place in places if place is not None]
        if len(found) == len(frames):
            return grid, found
    geometry = own_geometry(seg, frames, path)
    if geometry.dimension == 2:
        return grid if grid is not None and grid.shape == geometry.shape else geometry, [0] * len(frames)
    places = [slice_index(geometry, frame) for frame in frames]
    return geometry, [place for place in places if place is not None]


def _build(
    seg: Any, frames: Sequence[Frame], places: Sequence[int], geometry: Geometry, path: Path, threshold: float
) -> Segmentation:
    if len(places) != len(frames):
        raise UserError("has frames that do not lie on one grid", file=path, remedy="export it again")
    segments = _segments(seg)
    shape = geometry.shape if geometry.dimension == 3 else (1, *geometry.shape)
    if _kind(seg) == "LABELMAP":
        layers = np.zeros((1, *shape), _label_type(seg))
        for frame, place in zip(frames, places, strict=True):
            layers[0, place] = _pixels(seg, frame)
    else:
        packer = LayerPacker(shape, max(segment.value for segment in segments))
        for index, segment in enumerate(segments):
            own = [(f, place) for f, place in zip(frames, places, strict=True) if f.segment == segment.value]
            planes: dict[int, Mask] = {}
            for frame, place in own:
                mask = _at_least(seg, _pixels(seg, frame), threshold)
                planes[place] = planes[place] | mask if place in planes else mask
            segments[index] = replace(segment, layer=packer.add(planes, segment.value))
        layers = packer.layers
    return Segmentation(geometry, layers.reshape(len(layers), *geometry.shape), tuple(segments), path)


def _read_tiled(seg: Any, path: Path, threshold: float) -> Segmentation:
    """A segmentation of a slide, whose frames are tiles of one picture."""
    segments = _segments(seg)
    shape = (int(seg.TotalPixelMatrixRows), int(seg.TotalPixelMatrixColumns))
    measures = seg.SharedFunctionalGroupsSequence[0].PixelMeasuresSequence[0].PixelSpacing
    geometry = Geometry.plain(shape, (float(measures[1]), float(measures[0])))
    if _kind(seg) == "LABELMAP":
        labels = seg.get_total_pixel_matrix(combine_segments=True)
        return Segmentation(geometry, labels.astype(_label_type(seg))[None], tuple(segments), path)
    masks = []
    for segment in segments:
        values = seg.get_total_pixel_matrix(segment_numbers=[segment.value])[..., 0]
        masks.append((segment, values >= threshold if _kind(seg) == "FRACTIONAL" else values > 0))
    return replace(Segmentation.from_masks(geometry, masks), source=path)


def _segments(seg: Any) -> list[Segment]:
    """The described segments; number 0 (and a label map's padding value) is the background, not a segment."""
    found = []
    for number in seg.segment_numbers:
        if number == 0:
            continue
        description = seg.get_segment_description(number)
        name = str(description.get("SegmentLabel", "") or "").strip() or f"Segment_{number}"
        found.append(Segment(name, int(number), color=_color(description), id=f"Segment_{number}"))
    if not found:
        raise ValueError("no segments are described")
    return found


def _color(description: Any) -> tuple[float, float, float] | None:
    from highdicom.color import CIELabColor

    value = description.get("RecommendedDisplayCIELabValue")
    if value is None:
        return None
    red, green, blue = CIELabColor.from_dicom_value([int(part) for part in value]).to_rgb(clip=True)
    return red / 255, green / 255, blue / 255


def _pixels(seg: Any, frame: Frame) -> NDArray[Any]:
    pixels = np.asarray(seg.get_stored_frame(frame.number))
    if pixels.shape != (seg.Rows, seg.Columns):
        raise ValueError(f"frame {frame.number} has the wrong size")
    return pixels


def _at_least(seg: Any, pixels: NDArray[Any], threshold: float) -> Mask:
    if _kind(seg) != "FRACTIONAL":
        return np.asarray(pixels != 0)
    return np.asarray(pixels / float(seg.MaximumFractionalValue) >= threshold)


def _kind(seg: Any) -> str:
    """BINARY, FRACTIONAL or LABELMAP; anything else is a ValueError."""
    return str(seg.segmentation_type.value)


def _label_type(seg: Any) -> type[np.unsignedinteger[Any]]:
    return np.uint8 if int(seg.BitsAllocated) <= 8 else np.uint16
