"""Brain MR phantoms: FLAIR with white-matter lesions, and four contrasts with a glioma-like tumor."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from NoisyLabelSegLib.simulation.brain import Brain, make_brain
from NoisyLabelSegLib.simulation.recipe import Phantom
from NoisyLabelSegLib.simulation.scan import Field, Labels, smooth_noise

_NOISE = {"A": 0.028, "B": 0.04}
_SENSITIVITY = {"A": 0.08, "B": 0.16}
_GAMMA = {"A": 1.0, "B": 0.85}


def finer(shape: tuple[int, ...], spacing: tuple[float, ...]) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """The grid on which anatomy is made: thick slices are cut up, so that they mix tissues as real ones do."""
    times = int(np.clip(round(spacing[0] / spacing[1]), 1, 3))
    return (shape[0] * times, *shape[1:]), (spacing[0] / times, *spacing[1:])


def thick(field: NDArray[Any], slices: int) -> Field:
    """Thin slices averaged to the slices of the scan."""
    return np.asarray(field.reshape(slices, -1, *field.shape[1:]).mean(axis=1), dtype=np.float32)


def acquire(
    clean: Field, random: np.random.Generator, spacing: tuple[float, ...], device: str, *, gain: float
) -> NDArray[np.int16]:
    """A clean picture (*shape), white matter about 0.5, as the scanner stores it: bias field, Rician noise, int16."""
    width = max(size * edge for size, edge in zip(clean.shape, spacing, strict=True))
    bias = np.exp(_SENSITIVITY[device] * smooth_noise(random, clean.shape, spacing, width / 2))
    signal = np.clip(clean, 0, None) ** np.float32(_GAMMA[device]) * bias
    real, imaginary = _NOISE[device] * random.standard_normal((2, *clean.shape), dtype=np.float32)
    magnitude = np.hypot(signal + real, imaginary)
    return np.asarray(np.rint(1000 * gain * magnitude), dtype=np.int16)


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
    for center in _centers(brain, random, int(random.integers(5, 31))):
        box, grown = _ellipsoid(center, brain, ragged, random)
        grown *= brain.shares["white"][box] + brain.shares["nuclei"][box]
        share[box] = np.maximum(share[box], grown)
        contrast[box] = np.maximum(contrast[box], np.float32(random.uniform(0.16, 0.42)) * grown)
    return share, contrast


def _centers(brain: Brain, random: np.random.Generator, count: int) -> NDArray[np.int64]:
    """In white matter, most of them near the ventricles, some below the cortex; (count, 3) indices."""
    white = brain.shares["white"] > 0.9
    likely = (0.12 + np.exp(-brain.ventricle_distance / 12)) * white
    chances = likely.reshape(-1).astype(np.float64)
    places = random.choice(chances.size, size=count, replace=False, p=chances / chances.sum())
    return np.stack(np.unravel_index(places, white.shape), axis=1)


def _ellipsoid(
    center: NDArray[np.int64], brain: Brain, ragged: Field, random: np.random.Generator
) -> tuple[tuple[slice, ...], Field]:
    """A ragged ellipsoid in any direction: the box around it and its soft share of each voxel there."""
    spacing = np.asarray(brain.spacing)
    radius = np.clip(random.lognormal(np.log(5.8), 0.45), 3.5, 14.0)
    radii = radius * np.array([1.0, random.uniform(0.6, 1.0), random.uniform(1.0, 1.7)])
    turn = np.linalg.qr(random.standard_normal((3, 3)))[0]
    margin = np.ceil(1.3 * radii.max() / spacing).astype(int)
    low, high = np.maximum(center - margin, 0), np.minimum(center + margin + 1, brain.depth.shape)
    box = tuple(slice(a, b) for a, b in zip(low, high, strict=True))
    offsets = (np.moveaxis(np.indices(high - low), 0, -1) + low - center) * spacing
    reach = np.linalg.norm(offsets @ turn / radii, axis=-1) - 0.18 * ragged[box]
    return box, np.asarray(0.5 + 0.5 * np.tanh((1 - reach) * radius / 1.2), dtype=np.float32)


CLASSES = ("background", "edema", "enhancing", "necrosis")

_BRIGHTNESS = {
    "flair": {"csf": 0.12, "gray": 0.62, "white": 0.47, "nuclei": 0.57},
    "t1": {"csf": 0.18, "gray": 0.47, "white": 0.62, "nuclei": 0.52},
    "t1ce": {"csf": 0.20, "gray": 0.50, "white": 0.63, "nuclei": 0.54},
    "t2": {"csf": 0.95, "gray": 0.58, "white": 0.40, "nuclei": 0.47},
}
_TUMOR = {
    "flair": (0.74, 0.62, 0.42),
    "t1": (0.47, 0.45, 0.30),
    "t1ce": (0.48, 0.86, 0.32),
    "t2": (0.72, 0.62, 0.85),
}
"""Brightness of edema, enhancing rim and necrosis by contrast."""


def make_tumor(random: np.random.Generator, shape: tuple[int, ...], spacing: tuple[float, ...], device: str) -> Phantom:
    """One case: channels `flair`, `t1`, `t1ce`, `t2`, the skull removed; truth as in CLASSES."""
    fine_shape, fine_spacing = finer(shape, spacing)
    brain = make_brain(random, fine_shape, fine_spacing)
    tumor = _tumor(brain, random, fine_shape)
    inside = np.asarray(brain.depth > -1, dtype=np.float32)
    mottled = smooth_noise(random, fine_shape, fine_spacing, 7.0)
    vessels = _vessels(brain, random, fine_shape)
    strength = random.uniform(0.55, 1.0, size=3)  # how clearly edema, rim and necrosis show in this patient
    channels = {}
    for name, brightness in _BRIGHTNESS.items():
        clean = brain.intensity(brightness)
        if name == "t1ce":
            clean += 0.45 * vessels
        for share, level, clear in zip(tumor, _TUMOR[name], strength, strict=True):
            clean += np.float32(clear) * share * (np.float32(level) + 0.06 * mottled - clean)
        channels[name] = acquire(
            thick(clean * inside, shape[0]), random, spacing, device, gain=random.uniform(0.8, 1.25)
        )
    return Phantom(channels, _truth(tumor, shape[0]), thick(inside, shape[0]) > 0.5)


def _tumor(brain: Brain, random: np.random.Generator, shape: tuple[int, ...]) -> tuple[Field, Field, Field]:
    """The soft shares of edema, rim and necrosis, which do not overlap."""
    center = _center(brain, random)
    offsets = [
        (np.arange(size, dtype=np.float32) - c).reshape([-1 if a == axis else 1 for a in range(3)]) * edge
        for axis, (size, c, edge) in enumerate(zip(shape, center, brain.spacing, strict=True))
    ]
    squash = random.uniform(0.8, 1.25, size=3)
    distance = np.sqrt(sum((offset * ratio) ** 2 for offset, ratio in zip(offsets, squash, strict=True)))
    lobed = distance + 3.0 * smooth_noise(random, shape, brain.spacing, 16.0)
    ragged = lobed + 1.5 * smooth_noise(random, shape, brain.spacing, 7.0)
    core = random.uniform(12.0, 20.0)
    rim = random.uniform(5.0, 8.0) + 1.5 * smooth_noise(random, shape, brain.spacing, 18.0)
    spread = random.uniform(9.0, 20.0) * (0.25 + 0.75 * ndimage.gaussian_filter(brain.shares["white"], 1.0))
    flows = 4.0 * smooth_noise(random, shape, brain.spacing, 24.0)
    parenchyma = 1 - brain.shares["csf"] - brain.shares["skull"] - brain.shares["scalp"] - brain.shares["air"]
    whole = _inside(core + spread + flows - lobed) * parenchyma * (brain.depth > 0)
    solid = _inside(core - ragged) * (brain.depth > 0)
    dead = _inside(core - rim - ragged) * solid
    return np.maximum(whole - solid, 0) * (1 - solid), solid - dead, dead


def _center(brain: Brain, random: np.random.Generator) -> tuple[int, ...]:
    """In white matter, well inside the brain and the middle two thirds of the slices."""
    slices = len(brain.depth)
    good = (brain.shares["white"] > 0.8) & (brain.depth > 16) & (brain.ventricle_distance > 8)
    good[: slices // 5] = False
    good[-slices // 5 :] = False
    places = np.flatnonzero(good if good.any() else brain.inside)
    return tuple(int(index) for index in np.unravel_index(random.choice(places), brain.depth.shape))


def _vessels(brain: Brain, random: np.random.Generator, shape: tuple[int, ...]) -> Field:
    """Veins in the folds, which take up contrast as well."""
    patchy = smooth_noise(random, shape, brain.spacing, 9.0) > 0.6
    return np.asarray(brain.shares["csf"] * (brain.ventricle_distance > 6) * patchy, dtype=np.float32)


def _truth(tumor: tuple[Field, Field, Field], slices: int) -> Labels:
    """Per voxel the class with the largest share, tumor where it makes up half."""
    shares = np.stack([thick(share, slices) for share in tumor])
    return np.where(shares.sum(axis=0) >= 0.5, 1 + shares.argmax(axis=0), 0).astype(np.uint8)


def _inside(margin: Field) -> Field:
    """1 well inside, 0 well outside, the edge about 1.5 mm soft."""
    return np.asarray(0.5 + 0.5 * np.tanh(margin / 1.5), dtype=np.float32)
