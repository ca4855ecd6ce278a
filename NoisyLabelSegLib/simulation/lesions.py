"""A FLAIR-like brain with 5 to 30 white-matter lesions of mixed size and contrast."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.simulation.brain import Brain, make_brain
from NoisyLabelSegLib.simulation.fields import Field, smooth_noise
from NoisyLabelSegLib.simulation.mr import acquire, finer, thick
from NoisyLabelSegLib.simulation.phantom import Phantom

_FLAIR = {"scalp": 0.85, "skull": 0.07, "csf": 0.10, "gray": 0.61, "white": 0.47, "nuclei": 0.57}


def make_lesions(
    random: np.random.Generator, shape: tuple[int, ...], spacing: tuple[float, ...], device: str
) -> Phantom:
    """One case: channel `flair`, truth 1 = lesion."""
    fine_shape, fine_spacing = finer(shape, spacing)
    brain = make_brain(random, fine_shape, fine_spacing)
    lesions, contrast = _lesions(brain, random, fine_shape)
    texture = 0.012 * smooth_noise(random, fine_shape, fine_spacing, 6.0) * brain.inside
    caps = 0.10 * np.exp(-brain.ventricle_distance / 3) * brain.shares["white"]
    clean = thick(brain.intensity(_FLAIR) + contrast + texture + caps, shape[0])
    flair = acquire(clean, random, spacing, device, gain=random.uniform(0.85, 1.2))
    truth = (thick(lesions, shape[0]) >= 0.5).astype(np.uint8)
    return Phantom({"flair": flair}, truth, thick(brain.shares["white"], shape[0]) > 0.5)


def _lesions(brain: Brain, random: np.random.Generator, shape: tuple[int, ...]) -> tuple[Field, Field]:
    """How much of each voxel is lesion, 0 to 1, and how much brighter that makes it."""
    share, contrast = np.zeros(shape, dtype=np.float32), np.zeros(shape, dtype=np.float32)
    ragged = smooth_noise(random, shape, brain.spacing, 5.0)
    for centre in _centres(brain, random, int(random.integers(5, 31))):
        box, grown = _ellipsoid(centre, brain, ragged, random)
        grown *= brain.shares["white"][box] + brain.shares["nuclei"][box]
        share[box] = np.maximum(share[box], grown)
        contrast[box] = np.maximum(contrast[box], np.float32(random.uniform(0.16, 0.42)) * grown)
    return share, contrast


def _centres(brain: Brain, random: np.random.Generator, count: int) -> NDArray[np.int64]:
    """In white matter, most of them near the ventricles, some below the cortex; (count, 3) indices."""
    white = brain.shares["white"] > 0.9
    likely = (0.12 + np.exp(-brain.ventricle_distance / 12)) * white
    chances = likely.reshape(-1).astype(np.float64)
    places = random.choice(chances.size, size=count, replace=False, p=chances / chances.sum())
    return np.stack(np.unravel_index(places, white.shape), axis=1)


def _ellipsoid(
    centre: NDArray[np.int64], brain: Brain, ragged: Field, random: np.random.Generator
) -> tuple[tuple[slice, ...], Field]:
    """A ragged ellipsoid in any direction: the box around it and its soft share of each voxel there."""
    spacing = np.asarray(brain.spacing)
    radius = np.clip(random.lognormal(np.log(5.8), 0.45), 3.5, 14.0)
    radii = radius * np.array([1.0, random.uniform(0.6, 1.0), random.uniform(1.0, 1.7)])
    turn = np.linalg.qr(random.standard_normal((3, 3)))[0]
    margin = np.ceil(1.3 * radii.max() / spacing).astype(int)
    low, high = np.maximum(centre - margin, 0), np.minimum(centre + margin + 1, brain.depth.shape)
    box = tuple(slice(a, b) for a, b in zip(low, high, strict=True))
    offsets = (np.moveaxis(np.indices(high - low), 0, -1) + low - centre) * spacing
    reach = np.linalg.norm(offsets @ turn / radii, axis=-1) - 0.18 * ragged[box]
    return box, np.asarray(0.5 + 0.5 * np.tanh((1 - reach) * radius / 1.2), dtype=np.float32)
