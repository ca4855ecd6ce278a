"""The grid of an image in patient space (LPS, mm), images on it, and resampling between grids."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.errors import UserError


@dataclass(frozen=True)
class Image:
    """`array` is (*shape) with one value per voxel, or (C, *shape) with C components, z, y, x order."""

    array: NDArray[Any]
    geometry: Geometry

    def __post_init__(self) -> None:
        if self.array.shape[self.array.ndim - self.geometry.dimension :] != self.geometry.shape:
            raise ValueError(f"an array of {self.array.shape} does not fit a grid of {self.geometry.shape}")

    @property
    def channels(self) -> NDArray[Any]:
        """The array as (C, *shape), C = 1 for a plain image."""
        return self.array if self.array.ndim > self.geometry.dimension else self.array[None]


SAME_GRID_TOLERANCE = 0.05
"""Two grids of equal size are the same when no corner moves by more than this share of the smallest voxel edge.

Headers keep 6 to 7 digits (NIfTI: float32), so equal grids differ by far less; half a voxel is a real shift.
"""

SLICE_TOLERANCE = 0.1
"""A slice of a DICOM series may lie this share of a voxel edge off its place in a regular stack.

Scanners round positions, some of them to 0.1 mm; more than that is a tilted gantry or an uneven stack.
"""


@dataclass(frozen=True)
class Geometry:
    """A voxel grid in patient space (LPS, millimeters), in two or three dimensions.

    `shape` is the numpy order (z, y, x); `spacing`, `origin` and the columns of `direction` follow x, y, z, as in ITK.
    """

    shape: tuple[int, ...]
    spacing: tuple[float, ...]
    origin: tuple[float, ...]
    direction: tuple[float, ...]

    @classmethod
    def plain(cls, shape: tuple[int, ...], spacing: tuple[float, ...] | None = None) -> Geometry:
        """A grid along the patient axes, first voxel at the origin; `spacing` in x, y, z order, 1 mm if None."""
        n = len(shape)
        return cls(tuple(shape), spacing or (1.0,) * n, (0.0,) * n, tuple(np.eye(n).ravel().tolist()))

    @property
    def dimension(self) -> int:
        return len(self.shape)

    @property
    def in_millimeters(self) -> bool:
        """Whether lengths are millimeters; False for a 2D image of unit spacing, as pictures without spacing have."""
        return self.dimension != 2 or self.spacing != (1.0, 1.0)

    @property
    def voxel_volume(self) -> float:
        """Cubic millimeters of one voxel (square millimeters in 2D)."""
        return float(np.prod(self.spacing))

    @property
    def size_unit(self) -> tuple[str, float]:
        """The unit in which sizes are given, and that of one voxel in it: ml in 3D, mm² in 2D, px without spacing."""
        if self.dimension == 3:
            return "ml", self.voxel_volume / 1000
        return "mm²" if self.in_millimeters else "px", self.voxel_volume

    @property
    def spacing_zyx(self) -> tuple[float, ...]:
        """Voxel edges in millimeters in the order of the array's axes."""
        return tuple(reversed(self.spacing))

    @property
    def index_to_point_matrix(self) -> NDArray[np.float64]:
        """The (n, n) matrix from an x, y, z index to millimeters from the origin."""
        n = self.dimension
        matrix: NDArray[np.float64] = np.asarray(self.direction, dtype=np.float64).reshape(n, n)
        return matrix * np.asarray(self.spacing, dtype=np.float64)

    def points(self, indices: Any) -> NDArray[np.float64]:
        """Patient positions (..., n) in x, y, z order of array indices (..., n) in z, y, x order."""
        indices = np.asarray(indices, dtype=np.float64)[..., ::-1]
        return np.asarray(indices @ self.index_to_point_matrix.T + np.asarray(self.origin))

    def indices(self, points: Any) -> NDArray[np.float64]:
        """Array indices (..., n), z, y, x, not rounded, of patient positions (..., n) in x, y, z order."""
        offset = np.asarray(points, dtype=np.float64) - np.asarray(self.origin)
        return np.asarray((offset @ np.linalg.inv(self.index_to_point_matrix).T)[..., ::-1])

    def differences(self, other: Geometry) -> list[str]:
        """How another grid differs from this one, in words, worst first; empty when they are the same grid."""
        if self.dimension != other.dimension:
            return [f"it is {other.dimension}D, not {self.dimension}D"]
        if self.shape != other.shape:
            return [f"its size is {_by(other.shape[::-1])}, not {_by(self.shape[::-1])} voxels"]
        if self._largest_corner_shift(other) <= SAME_GRID_TOLERANCE * min(self.spacing):
            return []
        found = []
        if not np.allclose(self.spacing, other.spacing, rtol=1e-4):
            found.append(f"its spacing is {_by(other.spacing)}, not {_by(self.spacing)} mm")
        shift = float(np.linalg.norm(np.subtract(self.origin, other.origin)))
        if shift > SAME_GRID_TOLERANCE * min(self.spacing):
            found.append(f"its origin is {shift:.3g} mm away")
        if not np.allclose(self.direction, other.direction, atol=1e-4):
            found.append(f"its axes point elsewhere (corners move by {self._largest_corner_shift(other):.3g} mm)")
        return found or [f"its corners lie up to {self._largest_corner_shift(other):.3g} mm away"]

    def require_same(self, other: Geometry, name: str, *, file: Any = None, remedy: str = "") -> None:
        """Refuses another grid with a UserError that says how it differs from this one, which is that of `name`."""
        if differences := self.differences(other):
            problem = f"is not on the grid of {name}: {' and '.join(differences)}"
            raise UserError(problem, file=file, remedy=remedy)

    def _largest_corner_shift(self, other: Geometry) -> float:
        corners = list(itertools.product(*[(0, n - 1) for n in self.shape]))
        return float(np.linalg.norm(self.points(corners) - other.points(corners), axis=-1).max())


def resample(image: Image, onto: Geometry, *, labels: bool = True, extend: bool = False) -> Image:
    """The image on another grid: nearest neighbor for labels, linear otherwise.

    Outside are 0 (labels) or the minimum; with `extend` the values of its border instead.
    """
    import SimpleITK as sitk

    source = to_itk(image)
    outside = 0.0 if labels else float(image.array.min())
    moved = sitk.Resample(
        source,
        tuple(reversed(onto.shape)),
        sitk.Transform(onto.dimension, sitk.sitkIdentity),
        sitk.sitkNearestNeighbor if labels else sitk.sitkLinear,
        onto.origin,
        onto.spacing,
        onto.direction,
        outside,
        source.GetPixelID(),
        extend,
    )
    return from_itk(moved)


def _by(numbers: tuple[float, ...]) -> str:
    return " x ".join(f"{number:.6g}" for number in numbers)


def geometry_of(source: Any) -> Geometry:
    """The grid of a SimpleITK image, or of a reader that has read the header."""
    return Geometry(
        tuple(int(n) for n in reversed(source.GetSize())),
        tuple(float(x) for x in source.GetSpacing()),
        tuple(float(x) for x in source.GetOrigin()),
        tuple(float(x) for x in source.GetDirection()),
    )


def from_itk(image: Any) -> Image:
    """Components, which ITK keeps last, come first: (C, *shape)."""
    import SimpleITK as sitk

    array = sitk.GetArrayFromImage(image)
    if image.GetNumberOfComponentsPerPixel() > 1:
        array = np.ascontiguousarray(np.moveaxis(array, -1, 0))
    return Image(array, geometry_of(image))


def to_itk(image: Image) -> Any:
    """A SimpleITK image with the same voxels at the same places."""
    import SimpleITK as sitk

    several = image.array.ndim > image.geometry.dimension
    array = np.ascontiguousarray(np.moveaxis(image.array, 0, -1)) if several else image.array
    if array.dtype == np.bool_:
        array = array.astype(np.uint8)
    result = sitk.GetImageFromArray(array, isVector=several)
    result.SetSpacing(image.geometry.spacing)
    result.SetOrigin(image.geometry.origin)
    result.SetDirection(image.geometry.direction)
    return result
