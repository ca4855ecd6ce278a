"""Generated cases with a known truth for judging fusion: a (organs), b (lesions), c (four classes)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import scipy.ndimage
from numpy.typing import NDArray

from NoisyLabelSegLib.metrics import dice

Labels = NDArray[np.uint8]
Field = NDArray[np.float32]


@dataclass(frozen=True)
class GeneratedCase:
    """`truth` (*shape) uint8 and what each annotator made of it."""

    name: str
    truth: Labels
    labels: list[Labels]
    classes: int = 2

    @property
    def foreground_share(self) -> float:
        return float((self.truth > 0).mean())

    @property
    def mean_annotator_dice(self) -> float:
        return float(np.mean([dice(labels, self.truth, self.classes) for labels in self.labels]))


@dataclass(frozen=True)
class Skill:
    """How an annotator errs: draws `bias` voxels too large, wavers by `error` voxels, misses or invents lesions."""

    bias: float = 0.0
    error: float = 1.0
    missed: float = 0.0
    invented: float = 0.0


def generate(name: str, seed: int = 0) -> GeneratedCase:
    """The case of this name (a, b, c, s), the same for the same seed."""
    makers: dict[str, Callable[[np.random.Generator], GeneratedCase]] = {
        "a": _organs,
        "b": _lesions,
        "c": _four_classes,
        "s": _skill_by_place,
    }
    return makers[name](np.random.default_rng([seed, ord(name)]))


def _organs(
    rng: np.random.Generator,
    skills: Sequence[Skill] = (Skill(0, 0.7), Skill(0.2, 0.9), Skill(0.8, 1.2), Skill(-0.5, 2.5)),
) -> GeneratedCase:
    depth = _depth(rng, (60, 256, 256), count=3, radii=(18, 39, 39))
    labels = [_inside(depth + skill.bias + _smooth(rng, depth.shape, skill.error)) for skill in skills]
    return GeneratedCase("a", _inside(depth), labels)


def _lesions(
    rng: np.random.Generator,
    skills: Sequence[Skill] = (
        Skill(0, 0.5, 0.02, 0.02),
        Skill(0.1, 0.7, 0.05, 0.05),
        Skill(0.3, 0.9, 0.05, 0.10),
        Skill(-0.3, 1.2, 0.10, 0.05),
        Skill(0.5, 1.5, 0.10, 0.15),
    ),
    shape: tuple[int, ...] = (200, 512, 512),
    count: int = 420,
) -> GeneratedCase:
    truth = np.zeros(shape, np.uint8)
    labels = [np.zeros(shape, np.uint8) for _ in skills]
    for _ in range(count):
        depth, place = _one_lesion(rng, shape)
        truth[place] |= _inside(depth)
        for image, skill in zip(labels, skills, strict=True):
            drawn = _inside(depth + skill.bias + _smooth(rng, depth.shape, skill.error, grain=4))
            if rng.random() >= skill.missed:
                image[place] |= drawn
            if rng.random() < skill.invented:
                false, elsewhere = _one_lesion(rng, shape)
                image[elsewhere] |= _inside(false)
    return GeneratedCase("b", truth, labels)


def _four_classes(
    rng: np.random.Generator,
    skills: Sequence[Skill] = (Skill(0, 1), Skill(0, 2.5), Skill(1.5, 4), Skill(-1.5, 4)),
) -> GeneratedCase:
    """Three nested shells of one organ group, as edema, core and active tumor are."""
    depth = _depth(rng, (100, 256, 256), count=3, radii=(32, 46, 46))
    levels = (0.0, 8.0, 16.0)
    truth = sum((_inside(depth - level) for level in levels), np.zeros(depth.shape, np.uint8))
    labels = []
    for skill in skills:
        drawn = np.zeros(depth.shape, np.uint8)
        for level in levels:
            drawn += _inside(depth - level + skill.bias + _smooth(rng, depth.shape, skill.error))
        labels.append(drawn)
    return GeneratedCase("c", truth, labels, classes=4)


def _skill_by_place(rng: np.random.Generator, careful: float = 0.5, careless: float = 3.8) -> GeneratedCase:
    """Organs all over; in each quarter of the slice two of the five annotators are careful and three are careless."""
    depth = _depth(rng, (60, 256, 256), count=8, radii=(12, 24, 24))
    labels = [np.zeros(depth.shape, np.uint8) for _ in range(5)]
    for quarter, (rows, columns) in enumerate(product((slice(0, 128), slice(128, 256)), repeat=2)):
        place = (slice(None), rows, columns)
        for annotator, image in enumerate(labels):
            error = careful if annotator in (quarter, quarter + 1) else careless
            image[place] = _inside(depth[place] + _smooth(rng, depth[place].shape, error))
    return GeneratedCase("s", _inside(depth), labels)


def _inside(depth: Field) -> Labels:
    return (depth > 0).view(np.uint8)


def _depth(rng: np.random.Generator, shape: tuple[int, ...], count: int, radii: tuple[float, ...]) -> Field:
    """About how many voxels below the surface of the nearest of some wavy ellipsoids each voxel lies."""
    depth = np.full(shape, -np.inf, dtype=np.float32)
    for _ in range(count):
        radius = np.asarray(radii) * rng.uniform(0.85, 1.15, len(shape))
        center = [rng.uniform(1.1 * r, max(n - 1.1 * r, 1.1 * r)) for r, n in zip(radius, shape, strict=True)]
        np.maximum(depth, _ellipsoid(shape, center, radius), out=depth)
    return depth + _smooth(rng, shape, 2.0, grain=16)


def _one_lesion(rng: np.random.Generator, shape: tuple[int, ...]) -> tuple[Field, tuple[slice, ...]]:
    """The depth of one lesion in a box of its own, and where the box lies."""
    radius = np.full(len(shape), rng.uniform(5, 10)) * rng.uniform(0.8, 1.2, len(shape))
    half = int(radius.max()) + 8
    corner = [int(rng.integers(0, n - 2 * half)) for n in shape]
    box = (2 * half,) * len(shape)
    depth = _ellipsoid(box, [half] * len(shape), radius) + _smooth(rng, box, 1.0, grain=6)
    return depth, tuple(slice(start, start + 2 * half) for start in corner)


def _ellipsoid(shape: tuple[int, ...], center: Sequence[float], radius: NDArray[np.float64]) -> Field:
    axes = np.ogrid[tuple(slice(0, n) for n in shape)]
    square = sum(((axis - c) / r) ** 2 for axis, c, r in zip(axes, center, radius, strict=True))
    return np.asarray((1 - np.sqrt(square)) * radius.min(), dtype=np.float32)


def _smooth(rng: np.random.Generator, shape: tuple[int, ...], size: float, grain: int = 8) -> Field:
    """A random field of standard deviation `size` whose values `grain` voxels apart are nearly independent."""
    coarse = rng.standard_normal([n // grain + 3 for n in shape]).astype(np.float32)
    fine = scipy.ndimage.zoom(coarse, grain, order=1, grid_mode=True, mode="nearest")
    fine = fine[
        tuple(slice(start, start + n) for start, n in zip(rng.integers(0, grain, len(shape)), shape, strict=True))
    ]
    return np.asarray(fine * np.float32(size / fine.std()))
