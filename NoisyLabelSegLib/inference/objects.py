"""Outlines one object in 3D around a point or in a box, slice by slice, with a model that was trained on crops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from NoisyLabelSegLib.cases import Case, Geometry, Image
from NoisyLabelSegLib.cases.estimates import Field, Labels
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.inference.draws import Draws
from NoisyLabelSegLib.inference.model import Model, PredictionOutputs

FARTHEST_MM = 40.0
"""How far from the point slices are looked at, each way."""

LEAST = 0.1
"""The least probability that counts as an object; nothing is outlined where the model is surer than that of nothing."""

NEAR = 5
"""Pixels around the point in which the object is looked for."""


@dataclass(frozen=True)
class Place:
    """Where the object is: a voxel index (z, y, x), and the box (first and last index of each axis) it lies in."""

    center: tuple[int, int, int]
    first: tuple[int, int, int]
    last: tuple[int, int, int]


def place_of(geometry: Geometry, *, at: Sequence[float] = (), roi: Sequence[float] = ()) -> Place:
    """The place of a point (x, y, z) or a box (two corners, six numbers) in RAS mm; raises UserError outside."""
    if geometry.dimension != 3:
        raise UserError("A point or a box needs a 3D scan", remedy="leave out --at and --roi for 2D images")
    corners = [at, at] if at else [roi[:3], roi[3:]]
    indices = np.array([_index(geometry, corner) for corner in corners])
    end = np.array(geometry.shape) - 1
    low, high = np.rint(indices.min(axis=0)).astype(int), np.rint(indices.max(axis=0)).astype(int)
    if (high < 0).any() or (low > end).any() or (at and ((low < 0).any() or (high > end).any())):
        raise UserError("The point or box lies outside the scan", remedy="give RAS coordinates in mm inside it")
    low, high = np.maximum(low, 0), np.minimum(high, end)
    center = tuple(int(value) for value in (low + high) // 2)
    box = (np.zeros(3, dtype=int), end) if at else (low, high)
    first, last = (tuple(int(value) for value in corner) for corner in box)
    return Place(center, first, last)  # type: ignore[arg-type]


def _index(geometry: Geometry, ras: Sequence[float]) -> NDArray[np.float64]:
    lps = np.array([-ras[0], -ras[1], ras[2]]) - np.array(geometry.origin)
    axes = np.array(geometry.direction).reshape(3, 3) * np.array(geometry.spacing)
    return np.linalg.solve(axes, lps)[::-1]


@dataclass(frozen=True)
class OutlinedObject:
    """What was found in a `box` of the scan; what lies outside it is background.

    probability: of the foreground; annotators: their labels; samples (N, ...): outlines as readers might draw them; all
    of the size of the box. share: of the readers who are expected to outline the object.
    """

    shape: tuple[int, ...]
    box: tuple[slice, slice, slice]
    probability: Field
    annotators: dict[str, Labels]
    samples: Labels
    share: float

    @property
    def truth(self) -> Labels:
        return np.asarray(self.probability > 0.5, dtype=np.uint8)

    def whole(self, part: NDArray[Any]) -> NDArray[Any]:
        """Values of the box in a volume of the scan's size."""
        volume: NDArray[Any] = self.slab(part[None], slice(0, self.shape[0]))[0]
        return volume

    def slab(self, parts: NDArray[Any], rows: slice) -> NDArray[Any]:
        """Some slices (C, n, H, W) of the scan's size, of values (C, ...) of the box: a scan of them may be large."""
        slab = np.zeros((len(parts), rows.stop - rows.start, *self.shape[1:]), dtype=parts.dtype)
        depth = self.box[0]
        first, last = max(depth.start, rows.start), min(depth.stop, rows.stop)
        if first < last:
            placed = slab[:, first - rows.start : last - rows.start]
            placed[:, :, self.box[1], self.box[2]] = parts[:, first - depth.start : last - depth.start]
        return slab

    def probabilities(self, rows: slice) -> Field:
        """Of background and foreground in these slices, (2, n, H, W)."""
        foreground = self.slab(self.probability[None], rows)
        return np.concatenate([1 - foreground, foreground])


def outline_object(model: Model, case: Case, place: Place, edge: int, outputs: PredictionOutputs) -> OutlinedObject:
    """Outlines the object at the place from squares of `edge` pixels around it.

    Somebody has said that there is an object, so that the probabilities are those of readers who outline it: divided
    by their largest value near the point, which is returned as `share`. Slices are looked at outwards from the point
    until one has nothing in common with the one before it; the part connected to the point is kept, its holes filled.
    """
    slices = _Slices(model, case, place, edge)
    peak = slices.peak()
    if peak < LEAST:
        raise UserError(
            f"The model finds no {model.classes[1]} near the point in case {case.id}",
            remedy="place the point in the middle of it, or draw the outline by hand",
        )
    numbers = slices.connected(peak)
    shares = {name: np.clip(slices.stack(numbers, name) / peak, 0, 1) for name in ("", *model.annotators)}
    kept = _kept(shares[""] > 0.5, place.center[0] - numbers[0], slices.point)
    around = ndimage.binary_dilation(kept, iterations=3)
    shares = {name: np.where(around, share, 0).astype(np.float32) for name, share in shares.items()}
    shares[""] = np.where(kept, np.maximum(shares[""], 0.5 + 1e-6), np.minimum(shares[""], 0.5))
    samples = np.zeros((outputs.samples, *kept.shape), dtype=np.uint8)
    draws = Draws(outputs.samples, model.annotators, outputs.seed)
    for name in model.annotators if outputs.samples else ():
        draws.fill(samples, name, *_certain(shares[name]))
    box, inside = slices.in_scan(numbers)
    drawn = {name: (shares[name][inside] > 0.5).astype(np.uint8) for name in model.annotators if outputs.annotators}
    return OutlinedObject(case.geometry.shape, box, shares[""][inside], drawn, samples[(slice(None), *inside)], peak)


def _certain(share: Field) -> tuple[Field, Field]:
    """Matrices and probabilities under which the foreground has this share."""
    both = np.stack([1 - share, share])
    return np.stack([both, both], axis=1), both


class _Slices:
    """The model's probabilities of squares around the point, slice by slice, each made once."""

    def __init__(self, model: Model, case: Case, place: Place, edge: int) -> None:
        self._model, self._place, self._edge = model, place, edge
        self._image, self._geometry = case.first_channel(), case.geometry
        self._made: dict[int, dict[str, Field]] = {}
        self.point = edge // 2

    def peak(self) -> float:
        """The largest probability near the point."""
        near = slice(self.point - NEAR, self.point + NEAR + 1)
        return float(self.shares(self._place.center[0])[""][near, near].max())

    def connected(self, peak: float) -> list[int]:
        """The slices, in order, that share pixels of the object with their neighbor towards the point."""
        middle = self._place.center[0]
        reach = int(FARTHEST_MM / self._geometry.spacing_zyx[0])
        numbers = [middle]
        for step in (-1, 1):
            before = self.shares(middle)[""] > peak / 2
            end = self._place.first[0] - 1 if step < 0 else self._place.last[0] + 1
            for number in range(middle + step, end, step)[:reach]:
                before = before & (self.shares(number)[""] > peak / 2)
                numbers.append(number)
                if not before.any():
                    break
                before = self.shares(number)[""] > peak / 2
        return sorted(numbers)

    def stack(self, numbers: Sequence[int], name: str) -> Field:
        return np.stack([self.shares(number)[name] for number in numbers])

    def shares(self, number: int) -> dict[str, Field]:
        """Probabilities of foreground, of the truth ("") and of each annotator's labels, (edge, edge)."""
        if number not in self._made:
            square = self._square(number)
            image = Image(square, Geometry.plain(square.shape))
            found = self._model.predict(image, outputs=PredictionOutputs(confusion=self._model.has_annotators))
            assert found.probabilities is not None
            inside = self._inside()
            made = {"": (1 - found.probabilities[0]) * inside}
            for name, matrices in found.confusion.items():
                made[name] = (matrices[1:] * found.probabilities).sum(axis=(0, 1)) * inside
            self._made[number] = made
        return self._made[number]

    def in_scan(self, numbers: Sequence[int]) -> tuple[tuple[slice, slice, slice], tuple[slice, slice, slice]]:
        """The box of these slices' squares in the scan, and the same part of the stack of squares."""
        box, inside = [slice(numbers[0], numbers[-1] + 1)], [slice(0, len(numbers))]
        for center, length in zip(self._place.center[1:], self._geometry.shape[1:], strict=True):
            start = center - self._edge // 2
            first, last = max(start, 0), min(start + self._edge, length)
            box.append(slice(first, last))
            inside.append(slice(first - start, last - start))
        return (box[0], box[1], box[2]), (inside[0], inside[1], inside[2])

    def _square(self, number: int) -> NDArray[np.float32]:
        """What lies outside the scan repeats its edge."""
        (y, x), half = self._place.center[1:], self._edge // 2
        rows = np.clip(np.arange(y - half, y - half + self._edge), 0, self._geometry.shape[1] - 1)
        columns = np.clip(np.arange(x - half, x - half + self._edge), 0, self._geometry.shape[2] - 1)
        return np.asarray(self._image[number][np.ix_(rows, columns)], dtype=np.float32)

    def _inside(self) -> NDArray[np.bool_]:
        """Which pixels of the square lie in the box."""
        sides = []
        for axis in (1, 2):
            places = np.arange(self._edge) + self._place.center[axis] - self._edge // 2
            sides.append((places >= self._place.first[axis]) & (places <= self._place.last[axis]))
        return sides[0][:, None] & sides[1]


def _kept(mask: NDArray[np.bool_], middle: int, point: int) -> NDArray[np.bool_]:
    """The part of the mask (n, edge, edge) that is nearest to the point in its slice, with filled holes."""
    parts, _ = ndimage.label(mask, np.ones((3, 3, 3)))
    rows, columns = np.nonzero(parts[middle])
    nearest = int(np.argmin((rows - point) ** 2 + (columns - point) ** 2))
    kept = parts == parts[middle, rows[nearest], columns[nearest]]
    return np.stack([ndimage.binary_fill_holes(plane) for plane in kept])
