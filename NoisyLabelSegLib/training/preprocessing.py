"""How a case becomes what a network sees; stored in the model, so that prediction does the same."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from NoisyLabelSegLib.cases import Case, Geometry, Image, resample
from NoisyLabelSegLib.errors import UserError

if TYPE_CHECKING:
    from NoisyLabelSegLib.training.settings import Settings

Array = NDArray[Any]

MOST_VOXELS = 2**32
"""Voxels of the largest case after it was brought to the model's spacing."""


@dataclass(frozen=True)
class Preprocessing:
    """Intensities per case (z-score, or a window to 0..1), the common spacing, slices or volumes, and their crops.

    Arrays for the network have the axes (..., N, H, W): N slices along `axis`, one for a 2D image; or z, y, x.
    """

    dimensions: int = 2
    axis: int = 0
    normalization: str = "z-score"
    window: tuple[float, ...] = (-1000.0, 400.0)
    spacing: tuple[float, ...] = ()
    patch: int = 0

    @classmethod
    def of(cls, settings: Settings) -> Preprocessing:
        """The part of the training settings that prediction needs too."""
        return cls(**{name: getattr(settings, name) for name in cls.__dataclass_fields__})

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "window": list(self.window), "spacing": list(self.spacing)}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Preprocessing:
        """Raises ValueError, in words, for what does not make sense."""
        from NoisyLabelSegLib.training.settings import Settings

        if unknown := sorted(set(content) - set(cls.__dataclass_fields__)):
            raise ValueError(f"there is no preprocessing {unknown[0]!r}")
        settings = Settings.from_json(content)
        if problems := settings.problems():
            raise ValueError(problems[0])
        return cls.of(settings)

    def image(self, case: Case) -> NDArray[np.float32]:
        """The case's channels as the network wants them, (C, N, H, W) float32."""
        image = case.image()
        if not np.isfinite(image).all():
            raise UserError(
                f"The image of case {case.id} holds values that are not numbers (NaN or infinity)",
                remedy="replace them, for example by the value of air",
            )
        return self._arranged(self._normalized(self._moved(image, case, labels=False)), case)

    def labels(self, labels: NDArray[np.uint8], case: Case) -> NDArray[np.uint8]:
        """Labels of the case in the same arrangement, (N, H, W) uint8."""
        arranged: NDArray[np.uint8] = self._arranged(self._moved(labels[None], case, labels=True), case)[0]
        return arranged

    def grid(self, geometry: Geometry) -> Geometry:
        """The grid the network works on: the input's, or one over the same box with the common spacing."""
        if not self.spacing:
            return geometry
        spacing = self._spacing_of(geometry.dimension)
        if len(spacing) != geometry.dimension:
            raise UserError(
                f"The model works at the spacing {list(self.spacing)}, but the case is {geometry.dimension}D",
                remedy="set spacing to one number per axis, or to nothing",
            )
        old, new = np.asarray(geometry.spacing), np.asarray(spacing[::-1])
        new = np.where(new > 0, new, old)
        size = np.maximum(np.rint(np.asarray(geometry.shape[::-1]) * old / new), 1)
        if math.prod(size) > MOST_VOXELS:
            raise UserError(
                f"At the spacing {list(self.spacing)} of the model the case would have {math.prod(size):.3g} voxels",
                remedy="choose a model for images of this kind",
            )
        size, n = size.astype(int), geometry.dimension
        first = np.asarray(geometry.direction).reshape(n, n) @ (
            (new - old) / 2
        )  # the boxes, not the centers, begin together
        return replace(
            geometry,
            shape=tuple(int(length) for length in size[::-1]),
            spacing=tuple(float(x) for x in new),
            origin=tuple(float(x) for x in np.asarray(geometry.origin) + first),
        )

    def _spacing_of(self, dimension: int) -> list[float]:
        """The spacing along the axes of a case; a network of slices knows images as slices, and slices as images."""
        spacing = list(self.spacing)
        if self.dimensions == 2 and (len(spacing), dimension) == (2, 3):
            spacing.insert(self.axis, 0.0)
        elif self.dimensions == 2 and (len(spacing), dimension) == (3, 2):
            del spacing[self.axis]
        return spacing

    def restored(self, field: NDArray[np.float32], geometry: Geometry) -> NDArray[np.float32]:
        """A field (C, N, H, W) from the network, back on the input's grid: (C, *shape) float32."""
        grid = self.grid(geometry)
        field = self.unarranged(field, geometry)
        if grid is geometry:
            return field
        # Sizes are rounded, so the network's box may end a little before the case does.
        components = [
            resample(Image(component, grid), geometry, labels=False, extend=True).array for component in field
        ]
        return np.stack(components).astype(np.float32, copy=False)

    def unarranged(self, array: Array, geometry: Geometry) -> Array:
        """An array (C, N, H, W) with the axes of the case again, still on the network's grid."""
        if geometry.dimension == 2:
            return np.ascontiguousarray(array[:, 0])
        return np.ascontiguousarray(np.moveaxis(array, 1, self.axis + 1) if self.dimensions == 2 else array)

    def _moved(self, array: Array, case: Case, *, labels: bool) -> Array:
        """The channels (C, *shape) on the network's grid; labels as the values that fill most of a coarser voxel."""
        grid = self.grid(case.geometry)
        if grid is case.geometry:
            return array
        steps = np.asarray(grid.spacing_zyx) / np.asarray(case.geometry.spacing_zyx)
        sigma = np.maximum((steps - 1) / 2, 0)  # what the coarser grid cannot hold is blurred away first

        def moved(channel: Array) -> NDArray[np.float32]:
            blurred = ndimage.gaussian_filter(channel, sigma, output=np.float32) if sigma.any() else channel
            return resample(Image(blurred.astype(np.float32), case.geometry), grid, labels=False, extend=True).array

        if not labels:
            return np.stack([moved(channel) for channel in array])
        return np.stack([_most(channel, moved) for channel in array])

    def _normalized(self, image: NDArray[np.float32]) -> NDArray[np.float32]:
        if self.normalization == "window":
            low, high = self.window
            return ((image - low) / (high - low)).clip(0, 1).astype(np.float32)
        axes = tuple(range(1, image.ndim))
        mean = image.mean(axis=axes, keepdims=True, dtype=np.float64)
        deviation = image.std(axis=axes, keepdims=True, dtype=np.float64)
        scaled: NDArray[np.float32] = ((image - mean) / np.maximum(deviation, 1e-6)).astype(np.float32)
        return scaled

    def _arranged(self, array: Array, case: Case) -> Array:
        if self.dimensions == 3:
            if array.ndim != 4:
                raise UserError(f"Case {case.id} is a 2D image, but 3D volumes are wanted", remedy="set dimensions=2")
            return array
        return array[:, None] if array.ndim == 3 else np.moveaxis(array, self.axis + 1, 1)


def _most(labels: NDArray[np.uint8], moved: Callable[[Array], NDArray[np.float32]]) -> NDArray[np.uint8]:
    """Of all labels, moved one by one as masks, the one with the largest share."""
    values = np.unique(labels)
    shares = np.stack([moved((labels == value).astype(np.float32)) for value in values])
    most: NDArray[np.uint8] = values[shares.argmax(axis=0)]
    return most
