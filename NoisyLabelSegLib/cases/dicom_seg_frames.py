"""Where the frames of a DICOM SEG lie in the patient, and the grid they span."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases.geometry import SLICE_TOLERANCE, Geometry
from NoisyLabelSegLib.errors import UserError

_SAME_SLICE = 0.01  # mm; frames of different segments may be written with different roundings
_MOST_SLICES = 20000  # beyond any scanner: such a stack comes from a damaged position


@dataclass(frozen=True)
class Frame:
    """`number` counts from 1 as in DICOM; label maps have no `segment`, and frames without a position no `plane`."""

    number: int
    segment: int | None
    plane: Geometry | None
    slice_distance: float | None = None


def frames_of(seg: Any) -> list[Frame]:
    """All frames of a highdicom Segmentation, in file order."""
    shared = seg.SharedFunctionalGroupsSequence[0]
    own = seg.get("PerFrameFunctionalGroupsSequence") or [{} for _ in range(seg.number_of_frames)]
    if len(own) != seg.number_of_frames:
        raise ValueError("the number of frames does not fit their descriptions")
    return [_frame(number, shared, groups, seg) for number, groups in enumerate(own, start=1)]


def slice_index(grid: Geometry, frame: Frame) -> int | None:
    """The slice of a 3D grid on which a frame lies pixel for pixel, or None."""
    if frame.plane is None:
        return None
    height = float(grid.indices(frame.plane.origin)[0])
    index = round(height)
    if not 0 <= index < grid.shape[0] or abs(height - index) > SLICE_TOLERANCE:
        return None
    slice_origin = grid.points((index, 0, 0))
    there = replace(grid, shape=(1, *grid.shape[1:]), origin=tuple(slice_origin.tolist()))
    onto_slice = slice_origin - grid.points((height, 0, 0))  # scanners round positions: see SLICE_TOLERANCE
    here = replace(frame.plane, origin=tuple((np.asarray(frame.plane.origin) + onto_slice).tolist()))
    return None if there.differences(here) else index


def own_geometry(seg: Any, frames: Sequence[Frame], path: Path) -> Geometry:
    """The grid that the frames span, slices along the normal of their planes; flat where they have no position."""
    planes = [frame.plane for frame in frames if frame.plane is not None]
    if not planes:
        return _flat(seg, frames, path)
    normal = np.reshape(planes[0].direction, (3, 3))[:, 2]
    along = np.array([plane.origin for plane in planes]) @ normal
    lowest = planes[int(np.argmin(along))]
    heights = np.sort(along - along.min())
    heights = heights[np.diff(heights, prepend=-1.0) > _SAME_SLICE]
    if len(heights) == 1:
        return lowest
    step = _step(heights, frames[0].slice_distance)
    if step is None or heights[-1] / step > _MOST_SLICES:
        raise UserError(
            "has frames that are not evenly spaced and parallel",
            file=path,
            remedy="import it together with the images it was drawn on",
        )
    gaps = round(heights[-1] / step)
    exact = round(float(np.ptp(along)) / gaps, 9)
    return replace(lowest, shape=(gaps + 1, *lowest.shape[1:]), spacing=(*lowest.spacing[:2], exact))


def common_grid(grids: Sequence[Geometry]) -> Geometry | None:
    """The smallest grid that holds all of these, where they are stacks of the same slices; None where they are not."""
    first = grids[0]
    offsets = [first.indices(grid.origin)[0] if grid.dimension == first.dimension == 3 else np.nan for grid in grids]
    if not np.isfinite(offsets).all():
        return None
    starts = np.rint(offsets).astype(int)
    low = int(starts.min())
    high = max(int(start) + grid.shape[0] for start, grid in zip(starts, grids, strict=True))
    for start, grid in zip(starts, grids, strict=True):
        here = replace(
            first, shape=(grid.shape[0], *first.shape[1:]), origin=tuple(first.points((start, 0, 0)).tolist())
        )
        if here.differences(grid):
            return None
    return replace(first, shape=(high - low, *first.shape[1:]), origin=tuple(first.points((low, 0, 0)).tolist()))


def _step(heights: NDArray[np.float64], stated: float | None) -> float | None:
    """The distance of slices of which all gaps are multiples: what the file states, or else the smallest gap."""
    gaps = np.diff(heights)
    for step in (stated, float(gaps.min())):
        if step and (np.abs(gaps / step - np.rint(gaps / step)) <= SLICE_TOLERANCE).all() and gaps.min() > step / 2:
            return step
    return None


def _frame(number: int, shared: Any, own: Any, seg: Any) -> Frame:
    def group(keyword: str) -> Any:
        sequence = own.get(keyword) or shared.get(keyword)
        return sequence[0] if sequence else {}

    identification = group("SegmentIdentificationSequence").get("ReferencedSegmentNumber")
    if identification is None and seg.SegmentationType != "LABELMAP":
        raise ValueError(f"frame {number} does not say which segment it belongs to")
    position = group("PlanePositionSequence").get("ImagePositionPatient")
    orientation = group("PlaneOrientationSequence").get("ImageOrientationPatient")
    measures = group("PixelMeasuresSequence")
    plane = None
    if position is not None and orientation is not None:
        plane = _plane(position, orientation, measures, seg)
    distance = measures.get("SpacingBetweenSlices")
    return Frame(
        number,
        None if identification is None else int(identification),
        plane,
        None if distance is None else float(distance),
    )


def _plane(position: Any, orientation: Any, measures: Any, seg: Any) -> Geometry:
    x, y = np.array([float(part) for part in orientation]).reshape(2, 3)
    rows, columns = (float(part) for part in measures.get("PixelSpacing"))
    thickness = float(measures.get("SliceThickness") or measures.get("SpacingBetweenSlices") or 1.0)
    numbers = [*x, *y, rows, columns, thickness, *(float(part) for part in position)]
    if not np.isfinite(numbers).all() or min(rows, columns, thickness) <= 0:
        raise ValueError("a position, orientation or spacing is not a usable number")
    direction = np.column_stack([x, y, np.cross(x, y)])
    if abs(np.linalg.det(direction) - 1) > 1e-2:
        raise ValueError("the orientation is not perpendicular")
    return Geometry(
        shape=(1, int(seg.Rows), int(seg.Columns)),
        spacing=(columns, rows, thickness),
        origin=tuple(float(part) for part in position),
        direction=tuple(direction.ravel().tolist()),
    )


def _flat(seg: Any, frames: Sequence[Frame], path: Path) -> Geometry:
    """A segmentation of a radiograph: one frame per segment and no place in the patient."""
    numbers = [frame.segment for frame in frames]
    if len(set(numbers)) < len(numbers):
        raise UserError(
            "has several frames per segment that do not say where in the patient they lie",
            file=path,
            remedy="export it again from the program that made it",
        )
    measures = seg.SharedFunctionalGroupsSequence[0].get("PixelMeasuresSequence")
    spacing = tuple(float(part) for part in measures[0].PixelSpacing[::-1]) if measures else (1.0, 1.0)
    return Geometry.plain((int(seg.Rows), int(seg.Columns)), spacing)
