"""A crop of lung CT in Hounsfield units: one nodule among vessels, near the chest wall."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from NoisyLabelSegLib.simulation.recipe import Phantom
from NoisyLabelSegLib.simulation.scan import Field, Labels, Mask, positions, smooth_noise

LUNG, BLOOD, MUSCLE, FAT, BONE = -870.0, 40.0, 50.0, -100.0, 420.0
_NOISE = {"A": 22.0, "B": 40.0}
_BLUR = {"A": 0.45, "B": 0.6}


def make_nodule(
    random: np.random.Generator, shape: tuple[int, ...], spacing: tuple[float, ...], device: str
) -> Phantom:
    """One case: channel `ct` in HU, truth 1 = nodule."""
    wall = _wall_depth(random, shape, spacing)
    nodule, density = _nodule(random, shape, spacing, wall)
    vessels = _vessels(random, shape, spacing)
    lung = LUNG + 35 * smooth_noise(random, shape, spacing, 2.5) + 30 * smooth_noise(random, shape, spacing, 25.0)
    lung = lung + (BLOOD - LUNG) * vessels
    ct = lung + (density - lung) * nodule
    inside = _soft(wall, spacing)
    ct = ct * (1 - inside) + _wall(random, shape, spacing, wall) * inside
    ct = ndimage.gaussian_filter(ct, [_BLUR[device], _BLUR[device] + 0.2, _BLUR[device] + 0.2])
    grain = ndimage.gaussian_filter(random.standard_normal(shape, dtype=np.float32), (0, 0.6, 0.6))
    ct = ct + _NOISE[device] * grain / grain.std()
    truth = _largest((nodule >= 0.5) & (wall < 0))
    return Phantom({"ct": np.rint(np.clip(ct, -1024, 3071)).astype(np.int16)}, truth, wall < 0)


def _largest(mask: Mask) -> Labels:
    """The largest object of a mask: ends of strands that the grid cuts off do not count as nodules."""
    objects, count = ndimage.label(mask, structure=np.ones((3, 3, 3)))
    sizes = np.bincount(objects.reshape(-1), minlength=count + 1)
    sizes[0] = 0
    return np.asarray(mask & (objects == sizes.argmax()), dtype=np.uint8)


def _wall_depth(random: np.random.Generator, shape: tuple[int, ...], spacing: tuple[float, ...]) -> Field:
    """Depth in mm below the pleura, negative in the lung: a curved wall across one side of the crop."""
    z, y, x = positions(shape, spacing)
    angle = random.uniform(0, 2 * np.pi)
    away = np.cos(angle) * x + np.sin(angle) * y
    along = -np.sin(angle) * x + np.cos(angle) * y
    half = min(shape[1] * spacing[1], shape[2] * spacing[2]) / 2
    start = random.uniform(0.55, 0.75) * half
    bulge = 0.006 * along**2 + 0.15 * z
    return np.asarray(away + bulge - start + 0.8 * smooth_noise(random, shape, spacing, 20.0), dtype=np.float32)


def _wall(random: np.random.Generator, shape: tuple[int, ...], spacing: tuple[float, ...], depth: Field) -> Field:
    """Muscle with streaks of fat, and ribs that cross it at a slant."""
    z, y, x = positions(shape, spacing)
    slant = random.uniform(-0.5, 0.5)
    phase = (z + slant * (x + y)) / random.uniform(18, 24) + random.random()
    rib = _soft(3.0 - np.hypot(depth - 7.0, 24 * (phase - np.rint(phase)) * 0.45), spacing)
    marrow = _soft(1.4 - np.hypot(depth - 7.0, 24 * (phase - np.rint(phase)) * 0.45), spacing)
    fatty = _soft(smooth_noise(random, shape, spacing, 8.0) - 0.5 + 0.12 * (depth - 9), spacing)
    flesh = MUSCLE + (FAT - MUSCLE) * fatty
    bone = BONE - 220 * marrow
    return np.asarray(flesh + (bone - flesh) * rib, dtype=np.float32)


def _nodule(
    random: np.random.Generator, shape: tuple[int, ...], spacing: tuple[float, ...], wall: Field
) -> tuple[Field, Field]:
    """Its soft share of each voxel and its density: lobed, with spikes, solid or partly ground glass."""
    center = _center(random, shape, spacing, wall)
    offsets = np.stack(
        np.broadcast_arrays(*[place - c for place, c in zip(positions(shape, spacing), center, strict=True)]), axis=-1
    )
    turn = np.linalg.qr(random.standard_normal((3, 3)))[0]
    distance = np.linalg.norm(offsets @ turn * random.uniform(0.8, 1.25, size=3), axis=-1)
    radius = float(np.clip(random.lognormal(np.log(6.5), 0.3), 4.0, 11.0))
    lobes = 0.16 * radius * smooth_noise(random, shape, spacing, max(7.0, radius))
    spikes = _spikes(offsets, distance, radius, random)
    share = _soft(np.maximum(radius + lobes - distance, spikes), spacing)
    density = np.full(shape, random.uniform(0, 60), dtype=np.float32)
    if random.random() < 0.35:  # partly solid: a dense core in ground glass
        core = _soft(0.55 * radius + lobes - distance, spacing)
        density = np.float32(random.uniform(-550, -350)) * (1 - core) + density * core
    return share, density + 18 * smooth_noise(random, shape, spacing, 4.0)


def _center(
    random: np.random.Generator, shape: tuple[int, ...], spacing: tuple[float, ...], wall: Field
) -> NDArray[np.float64]:
    """Near the middle of the crop, and in the lung; mm from the middle in z, y, x order."""
    half = np.multiply(shape, spacing) / 2
    for _ in range(50):
        center = random.uniform(-0.3, 0.3, size=3) * half
        index = tuple(np.rint((np.asarray(shape) - 1) / 2 + center / spacing).astype(int))
        if wall[index] < -2:
            break
    return np.asarray(center)


def _spikes(
    offsets: NDArray[np.float32], distance: NDArray[np.float32], radius: float, random: np.random.Generator
) -> Field:
    """Margin inside thin strands that leave the nodule; they are part of it only near its surface."""
    best = np.full(distance.shape, -10.0, dtype=np.float32)
    for _ in range(int(random.integers(0, 7))):
        direction = random.standard_normal(3)
        direction /= np.linalg.norm(direction)
        along = offsets @ direction
        across = np.sqrt(np.maximum((offsets**2).sum(axis=-1) - along**2, 0))
        taper = 1.4 * np.clip(1 - (along - radius) / random.uniform(3, 7), 0, 1) * (along > 0)
        best = np.maximum(best, np.where(taper > 0, taper - across, -10.0)).astype(np.float32)
    return best


def _vessels(random: np.random.Generator, shape: tuple[int, ...], spacing: tuple[float, ...]) -> Field:
    """Branching tubes that wander through the crop and get thinner."""
    half = np.multiply(shape, spacing) / 2
    share = np.zeros(shape, dtype=np.float32)
    for _ in range(int(random.integers(7, 12))):
        start = random.uniform(-1, 1, size=3) * half
        heading = random.standard_normal(3)
        _grow(share, start, heading / np.linalg.norm(heading), random.uniform(0.9, 2.3), spacing, random)
    return share


def _grow(
    share: Field,
    place: NDArray[np.float64],
    heading: NDArray[np.float64],
    radius: float,
    spacing: tuple[float, ...],
    random: np.random.Generator,
) -> None:
    """Walks on in steps of about the radius, turning a little, and branches now and then until it is too thin."""
    middle = (np.asarray(share.shape) - 1) / 2
    while radius > 0.45:
        _stamp(share, middle + place / spacing, radius, spacing)
        heading = heading + 0.11 * random.standard_normal(3)
        heading /= np.linalg.norm(heading)
        place = place + heading * max(0.6, 0.8 * radius)
        if (np.abs(place / spacing) > middle + 4).any():
            return
        if random.random() < 0.05:
            aside = heading + 0.9 * random.standard_normal(3)
            _grow(share, place, aside / np.linalg.norm(aside), 0.75 * radius, spacing, random)
        radius *= 0.992


def _stamp(share: Field, center: NDArray[np.float64], radius: float, spacing: tuple[float, ...]) -> None:
    """A soft ball, painted where it is denser than what is there; `center` in voxels."""
    margin = (radius + 1.5 * max(spacing[1:])) / np.asarray(spacing) + 1
    low = np.maximum(np.ceil(center - margin), 0).astype(int)
    high = np.minimum(np.floor(center + margin) + 1, share.shape).astype(int)
    if (low >= high).any():
        return
    box = tuple(slice(a, b) for a, b in zip(low, high, strict=True))
    squares = [((np.arange(a, b) - c) * e) ** 2 for a, b, c, e in zip(low, high, center, spacing, strict=True)]
    distance = np.sqrt(squares[0][:, None, None] + squares[1][:, None] + squares[2])
    share[box] = np.maximum(share[box], _soft(radius - distance, spacing))


def _soft(margin: NDArray[np.float32], spacing: tuple[float, ...]) -> Field:
    """1 well inside, 0 well outside, the edge about a pixel soft."""
    return np.asarray(0.5 + 0.5 * np.tanh(np.clip(margin / (0.6 * spacing[-1]), -20, 20)), dtype=np.float32)
