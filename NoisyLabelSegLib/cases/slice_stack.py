"""Whether slices make a regular grid, and which; if they do not, what is wrong with them in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases.geometry import SLICE_TOLERANCE, Geometry
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.untrusted import LARGEST_EDGE, LEAST_EDGE

_STRAIGHTEN = "load it in 3D Slicer, which can straighten it (acquisition transform), and save it as NRRD"
_COMPLETE = "export the whole series again"


@dataclass(frozen=True)
class Slice:
    """One slice of a series; `pixel_spacing` is (between rows, between columns) as in DICOM."""

    file: Path
    shape: tuple[int, int]
    pixel_spacing: tuple[float, ...]
    position: tuple[float, ...] | None
    orientation: tuple[float, ...] | None
    thickness: float


def stack_geometry(slices: Sequence[Slice], place: Path) -> tuple[list[int], Geometry]:
    """The order of the slices along the normal of their planes, and the grid they make; `place` is named in errors."""
    first = slices[0]
    _refuse_useless_spacing(first)
    if first.position is None or first.orientation is None:
        return _without_position(slices, place)
    _refuse_mixture(slices)
    axes = _axes(first)
    positions = np.array([item.position for item in slices])
    along = positions @ axes[:, 2]
    order = [int(index) for index in np.argsort(along, kind="stable")]
    spacing = _slice_spacing(along[order], [slices[index] for index in order], place)
    _refuse_tilt(positions[order], axes, first, place)
    geometry = Geometry(
        shape=(len(slices), *first.shape),
        spacing=(first.pixel_spacing[1], first.pixel_spacing[0], spacing),
        origin=tuple(positions[order[0]].tolist()),
        direction=tuple(axes.ravel().tolist()),
    )
    return order, geometry


def _without_position(slices: Sequence[Slice], place: Path) -> tuple[list[int], Geometry]:
    """A radiograph is a flat picture; several pictures without positions are no volume."""
    if len(slices) > 1:
        raise UserError(
            f"holds {len(slices)} images that do not say where in the patient they lie",
            file=place,
            remedy="import them as single pictures",
        )
    only = slices[0]
    return [0], Geometry.plain(only.shape, (only.pixel_spacing[1], only.pixel_spacing[0]))


def _refuse_useless_spacing(first: Slice) -> None:
    if not all(LEAST_EDGE <= edge <= LARGEST_EDGE for edge in first.pixel_spacing) or min(first.shape) <= 0:
        raise UserError("has no usable size or pixel spacing", file=first.file, remedy="copy or export it again")


def _refuse_mixture(slices: Sequence[Slice]) -> None:
    first = slices[0]
    for item in slices[1:]:
        if item.position is None or item.orientation is None:
            raise UserError("does not say where in the patient it lies", file=item.file, remedy=_COMPLETE)
        if item.shape != first.shape or not np.allclose(item.pixel_spacing, first.pixel_spacing, rtol=1e-4):
            raise UserError(
                f"has another size or pixel spacing than {first.file.name} of the same series",
                file=item.file,
                remedy="move it to a folder of its own",
            )
        if not np.allclose(item.orientation, first.orientation or (), atol=1e-3):
            raise UserError(
                f"is not parallel to {first.file.name} of the same series",
                file=item.file,
                remedy="move it to a folder of its own (it may be an overview image)",
            )


def _axes(first: Slice) -> NDArray[np.float64]:
    """The columns are the directions of x (along a row), y (down a column) and z (their normal)."""
    x, y = np.array(first.orientation, dtype=np.float64).reshape(2, 3)
    normal = np.cross(x, y)
    if not np.allclose([x @ x, y @ y, normal @ normal], 1, atol=1e-2):
        raise UserError(
            "has an orientation whose axes are not perpendicular unit vectors",
            file=first.file,
            remedy="copy or export it again",
        )
    return np.column_stack([x, y, normal / np.linalg.norm(normal)])


def _slice_spacing(along: NDArray[np.float64], slices: Sequence[Slice], place: Path) -> float:
    """Millimeters between neighbors; `along` is sorted."""
    if len(slices) == 1:
        return slices[0].thickness
    gaps = np.diff(along)
    usual = float(np.median(gaps))
    nearest = int(np.argmin(gaps))
    if gaps[nearest] <= 1e-3 or gaps[nearest] < 0.01 * usual:
        twins = f"{slices[nearest].file.name} and {slices[nearest + 1].file.name}"
        raise UserError(f"holds two slices at the same place ({twins})", file=place, remedy="remove one of them")
    missing = np.rint(gaps / usual).astype(int) - 1
    if (missing > 0).any():
        widest = int(np.argmax(gaps))
        between = f"{slices[widest].file.name} and {slices[widest + 1].file.name}"
        raise UserError(
            f"has gaps (missing slices: {int(missing.sum())}): {between} are {gaps[widest]:.4g} mm apart, "
            f"the others {usual:.4g} mm",
            file=place,
            remedy=_COMPLETE,
        )
    spacing = float((along[-1] - along[0]) / (len(slices) - 1))
    off = np.abs(along - along[0] - spacing * np.arange(len(slices)))
    if off.max() > SLICE_TOLERANCE * spacing:
        common = Counter(np.round(gaps, 3).tolist()).most_common(2)
        distances = " and ".join(f"{gap:.4g}" for gap, _ in common)
        raise UserError(f"has slices at uneven distances (such as {distances} mm)", file=place, remedy=_STRAIGHTEN)
    return round(spacing, 9)  # without the noise of subtracting decimal positions


def _refuse_tilt(positions: NDArray[np.float64], axes: NDArray[np.float64], first: Slice, place: Path) -> None:
    """Slices must be stacked along their normal; a CT taken with a tilted gantry is sheared."""
    across = (positions - positions[0]) @ axes[:, :2]
    if np.abs(across).max() <= SLICE_TOLERANCE * min(first.pixel_spacing):
        return
    shift = float(np.linalg.norm(across[-1]))
    height = float((positions[-1] - positions[0]) @ axes[:, 2])
    angle = np.degrees(np.arctan2(shift, height))
    raise UserError(
        f"is sheared by {angle:.3g} degrees (gantry tilt): its slices are not stacked along their normal",
        file=place,
        remedy=_STRAIGHTEN,
    )
