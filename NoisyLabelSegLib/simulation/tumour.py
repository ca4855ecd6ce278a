"""A brain in four MR contrasts with a glioma-like tumor: edema around an enhancing rim around necrosis."""

from __future__ import annotations

import numpy as np
from scipy import ndimage

from NoisyLabelSegLib.simulation.brain import Brain, make_brain
from NoisyLabelSegLib.simulation.fields import Field, smooth_noise
from NoisyLabelSegLib.simulation.mr import acquire, finer, thick
from NoisyLabelSegLib.simulation.phantom import Phantom
from NoisyLabelSegLib.simulation.scan import Labels

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


def make_tumour(
    random: np.random.Generator, shape: tuple[int, ...], spacing: tuple[float, ...], device: str
) -> Phantom:
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
    centre = _centre(brain, random)
    offsets = [
        (np.arange(size, dtype=np.float32) - c).reshape([-1 if a == axis else 1 for a in range(3)]) * edge
        for axis, (size, c, edge) in enumerate(zip(shape, centre, brain.spacing, strict=True))
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


def _centre(brain: Brain, random: np.random.Generator) -> tuple[int, ...]:
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
