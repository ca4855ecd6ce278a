"""The kinds of errors of simulated annotators: each takes the true mask and a strength."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.simulation.scan import Mask, MaskShape, Scan, positions, seeded, smooth_noise

GAP_WIDTHS = 2.0
"""A gap's width as a multiple of the thickening; with it MNIST digits lose as much as the authors' examples do."""


def fractured(shape: MaskShape, drawn: Mask, thickening: float, random: np.random.Generator, gaps: float) -> Mask:
    """`drawn` (the thickened shape) with gaps cut across each object of the shape; `gaps` scales how many there are."""
    labels, count = shape.objects
    result = drawn.copy()
    for number, box in enumerate(ndimage.find_objects(labels, count), start=1):
        voxels = np.argwhere(labels[box] == number) + [side.start for side in box]
        radius = min(float(shape.inside[box][labels[box] == number].max()), float(np.ptp(voxels * shape.spacing)))
        for _ in range(_gap_count(len(voxels), radius, shape, gaps, random)):
            _cut(result, voxels, radius, thickening, shape, random)
    return result


def _gap_count(voxels: int, radius: float, shape: MaskShape, gaps: float, random: np.random.Generator) -> int:
    """One for every three thicknesses of length: a compact object has one, a long stroke several."""
    thickness = max(2 * radius, min(shape.spacing))
    lengths = voxels * float(np.prod(shape.spacing)) / thickness**shape.mask.ndim
    return max(1, int(gaps * lengths / 3 + random.random()))


def _cut(
    result: Mask,
    voxels: NDArray[np.int64],
    radius: float,
    thickening: float,
    shape: MaskShape,
    random: np.random.Generator,
) -> None:
    """Clears a slab through a random voxel, across the direction in which the object runs there."""
    spacing = np.asarray(shape.spacing)
    center = voxels[random.integers(len(voxels))]
    reach = 2 * radius + thickening
    margin = np.ceil(reach / spacing).astype(int)
    low, high = np.maximum(center - margin, 0), np.minimum(center + margin + 1, shape.mask.shape)
    box = tuple(slice(a, b) for a, b in zip(low, high, strict=True))
    offsets = (np.moveaxis(np.indices(high - low), 0, -1) + low - center) * spacing
    near = np.linalg.norm(offsets, axis=-1) <= reach
    along = _direction(((voxels - center) * spacing), reach, random)
    result[box] &= ~(near & (np.abs(offsets @ along) <= GAP_WIDTHS * thickening / 2))


def _direction(offsets: NDArray[np.float64], reach: float, random: np.random.Generator) -> NDArray[np.float64]:
    """The longest axis of the part of the object around the point, or any direction where it is a single voxel."""
    near = offsets[np.linalg.norm(offsets, axis=1) <= reach]
    if len(near) > 2:
        return np.asarray(np.linalg.eigh(np.cov(near.T)).eigenvectors[:, -1])
    anywhere = np.asarray(random.standard_normal(offsets.shape[1]))
    return np.asarray(anywhere / np.linalg.norm(anywhere))


SIDES = {
    "left": (0, True),
    "right": (0, False),
    "back": (1, True),
    "front": (1, False),
    "head": (2, True),
    "feet": (2, False),
}
"""Side to the axis of x, y, z and whether its indices are the larger ones."""


@dataclass(frozen=True)
class Hand:
    """Who draws: `habit` is the same on every case of this annotator, `chance` differs from case to case."""

    seed: int
    name: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def habit(self) -> np.random.Generator:
        return seeded(self.seed, self.name)

    def chance(self, scan: Scan) -> np.random.Generator:
        return seeded(self.seed, self.name, scan.id)


Draw = Callable[[Scan, MaskShape, float, Hand], Mask]


@dataclass(frozen=True)
class Kind:
    """A way of erring; `unit` is what its strength counts, if it has one, and `typical` a common strength."""

    name: str
    draw: Draw
    unit: str = ""
    typical: float = 0.0

    @property
    def has_strength(self) -> bool:
        return bool(self.unit)


def _good(_scan: Scan, shape: MaskShape, _strength: float, _hand: Hand) -> Mask:
    return shape.mask


def _blank(_scan: Scan, shape: MaskShape, _strength: float, _hand: Hand) -> Mask:
    return np.zeros_like(shape.mask)


def _over(_scan: Scan, shape: MaskShape, strength: float, _hand: Hand) -> Mask:
    return shape.outside <= strength


def _under(_scan: Scan, shape: MaskShape, strength: float, _hand: Hand) -> Mask:
    return shape.mask & (shape.inside > strength)


def _wrong(scan: Scan, shape: MaskShape, strength: float, hand: Hand) -> Mask:
    return fractured(shape, shape.outside <= strength, strength, hand.chance(scan), float(hand.options.get("gaps", 1)))


def _shifted(_scan: Scan, shape: MaskShape, strength: float, hand: Hand) -> Mask:
    """Always in the same direction, in mm along the axes of the array; within the slices unless it is given."""
    if not shape.mask.any():
        return shape.mask
    direction = np.asarray(hand.options.get("direction") or [0, *hand.habit().standard_normal(2)][-shape.mask.ndim :])
    if len(direction) != shape.mask.ndim:
        raise UserError(f"{hand.name} is shifted along {len(direction)} axes of a {shape.mask.ndim}D image")
    steps = strength * direction / np.linalg.norm(direction) / shape.spacing
    return np.asarray(ndimage.shift(shape.signed, steps, order=1, mode="nearest") < 0)


def _smoothing(_scan: Scan, shape: MaskShape, strength: float, _hand: Hand) -> Mask:
    sigma = [strength / edge for edge in shape.spacing]
    return np.asarray(ndimage.gaussian_filter(shape.mask.astype(np.float32), sigma, mode="nearest") > 0.5)


def _misses_small(scan: Scan, shape: MaskShape, strength: float, hand: Hand) -> Mask:
    """Objects of a diameter below the strength, give or take: some larger ones escape notice, some smaller do not."""
    labels, count = shape.objects
    noticed = shape.diameters * np.exp(hand.chance(scan).normal(0, 0.2, count)) >= strength
    return np.concatenate([[False], noticed])[labels]


def _invents(scan: Scan, shape: MaskShape, strength: float, hand: Hand) -> Mask:
    """Adds objects shaped like real ones (or a ball of 6 mm) elsewhere in the tissue; the strength is how many a case.

    Real numbers are allowed: 1.3 means a second object on three cases of ten.
    """
    random = hand.chance(scan)
    allowed = ~shape.mask if scan.tissue is None else scan.tissue & ~shape.mask
    places = np.flatnonzero(allowed)
    mask, extra = shape.mask.copy(), random.random()
    for _ in range(int(strength + extra) if places.size else 0):
        center = np.array(np.unravel_index(random.choice(places), mask.shape))
        voxels = center + _object_offsets(shape, random)
        inside = ((voxels >= 0) & (voxels < mask.shape)).all(axis=1)
        place = tuple(voxels[inside].T)
        mask[place] |= allowed[place]
    return mask


def _object_offsets(shape: MaskShape, random: np.random.Generator) -> NDArray[np.int64]:
    """The voxels of a mirrored copy of a random object, around its middle, (voxels, n)."""
    labels, count = shape.objects
    if count:
        voxels = np.argwhere(labels == random.integers(count) + 1)
    else:
        ball = sum(np.square(p) for p in positions((9,) * labels.ndim, shape.spacing)) <= 9
        voxels = np.argwhere(ball)
    return np.asarray((voxels - np.rint(voxels.mean(axis=0)).astype(np.int64)) * random.choice([-1, 1], labels.ndim))


def _shaky(scan: Scan, shape: MaskShape, strength: float, hand: Hand) -> Mask:
    """The outline wobbles in and out by about the strength in mm."""
    wobble = smooth_noise(hand.chance(scan), shape.mask.shape, shape.spacing, max(8.0, 2 * strength))
    return shape.signed < np.float32(strength) * wobble


def _careless(scan: Scan, shape: MaskShape, strength: float, hand: Hand) -> Mask:
    """Errs on one side of the image only."""
    side = str(hand.options.get("side", "left"))
    region = np.broadcast_to(_half(side, shape), shape.mask.shape)
    drawn = _base(hand, "shaky").draw(scan, shape, strength, hand)
    return np.where(region, drawn, shape.mask)


def _half(side: str, shape: MaskShape) -> Mask:
    """Patient sides for images whose axes run to the left, back and head, as DICOM's do."""
    axis, positive = SIDES[side]
    if axis >= shape.mask.ndim:
        raise UserError(f"A flat image has no side {side!r}", remedy="choose left, right, front or back")
    middle = positions(shape.mask.shape, shape.spacing)[shape.mask.ndim - 1 - axis]
    return middle > 0 if positive else middle < 0


def _drifting(scan: Scan, shape: MaskShape, strength: float, hand: Hand) -> Mask:
    """Errs not at all on the first case and fully on the last."""
    return _base(hand, "over").draw(scan, shape, strength * scan.time, hand)


def _one_device(scan: Scan, shape: MaskShape, strength: float, hand: Hand) -> Mask:
    known = str(hand.options.get("device", "A"))
    return shape.mask if scan.device == known else _base(hand, "shaky").draw(scan, shape, strength, hand)


def _base(hand: Hand, default: str) -> Kind:
    return KINDS[str(hand.options.get("error", default))]


KINDS = {
    kind.name: kind
    for kind in (
        Kind("good", _good),
        Kind("over", _over, "mm", 1.5),
        Kind("under", _under, "mm", 1.5),
        Kind("wrong", _wrong, "mm", 1.5),
        Kind("blank", _blank),
        Kind("shifted", _shifted, "mm", 2.0),
        Kind("smoothing", _smoothing, "mm", 2.0),
        Kind("misses-small", _misses_small, "mm", 8.0),
        Kind("invents", _invents, "objects", 2.0),
        Kind("shaky", _shaky, "mm", 1.5),
        Kind("careless", _careless, "mm", 2.5),
        Kind("drifting", _drifting, "mm", 2.5),
        Kind("one-device", _one_device, "mm", 2.0),
    )
}
"""The ways of erring on one outline, by name; `confuses` (see annotator.py) is the one that needs two classes."""
