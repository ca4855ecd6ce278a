"""The anatomy of a made-up head: folded cortex, white matter, ventricles, deep nuclei, skull and scalp."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from NoisyLabelSegLib.simulation.scan import Field, Mask, positions, smooth_noise

TISSUES = ("air", "scalp", "skull", "csf", "gray", "white", "nuclei")


@dataclass(frozen=True)
class Brain:
    """Shares of each tissue (*shape) that sum to 1, and distances in mm from the brain's surface and the ventricles."""

    shares: dict[str, Field]
    depth: Field
    ventricle_distance: Field
    spacing: tuple[float, ...]

    @property
    def inside(self) -> Mask:
        return self.depth > 0

    def intensity(self, brightness: dict[str, float]) -> Field:
        """The image of a contrast that gives each tissue its brightness; tissues that are not named are black."""
        total = np.zeros_like(self.depth)
        for tissue, value in brightness.items():
            total += np.float32(value) * self.shares[tissue]
        return total


def make_brain(random: np.random.Generator, shape: tuple[int, ...], spacing: tuple[float, ...]) -> Brain:
    """A head that fills the slices whatever their size; z, y, x run to the head's top, back and left."""
    z, y, x = positions(shape, spacing)
    size = _head_size(shape, spacing) * random.uniform(0.96, 1.04)
    x = x + np.float32(size) * 0.02 * smooth_noise(random, shape, spacing, size)
    y = y + np.float32(size) * 0.02 * smooth_noise(random, shape, spacing, size)
    z = z - np.float32(0.06 * size)
    width = random.uniform(0.79, 0.85)
    radius = np.sqrt((x / (width * size)) ** 2 + (y / size) ** 2 + (z / (0.9 * size)) ** 2)
    depth = np.asarray((1 - radius) * size, dtype=np.float32)
    folds = _folds(random, shape, spacing, size)
    ventricles = _ventricles(x, y, z, size, random)
    nuclei = _nuclei(x, y, z, size)
    return _assemble(depth, folds, np.asarray(np.abs(x) / size, dtype=np.float32), ventricles, nuclei, size, spacing)


def _head_size(shape: tuple[int, ...], spacing: tuple[float, ...]) -> float:
    """Half the brain's length in mm: skull and scalp fit around it."""
    return 0.43 * min(shape[1] * spacing[1], 1.15 * shape[2] * spacing[2])


def _folds(random: np.random.Generator, shape: tuple[int, ...], spacing: tuple[float, ...], size: float) -> Field:
    """Distance to the nearest sulcus, about, in units of the head's size: zero lines of a smooth field are folds."""
    wide = smooth_noise(random, shape, spacing, 0.15 * size)
    fine = smooth_noise(random, shape, spacing, 0.08 * size)
    return np.abs(wide + 0.35 * fine) * np.float32(0.055)


def _ventricles(x: Field, y: Field, z: Field, size: float, random: np.random.Generator) -> Field:
    """Distance outside the ventricles in units of the head's size, negative within: two horned bananas and a slit."""
    scale = random.uniform(0.8, 1.35)
    u, v, w = np.abs(x) / size, y / size, z / size
    middle = 0.075 + 0.16 * np.clip(np.abs(v - 0.02) - 0.12, 0, None) + 0.35 * np.clip(v - 0.2, 0, None)
    arch = 0.10 - 0.9 * (v - 0.02) ** 2
    lateral = np.sqrt(((u - middle) / 0.062) ** 2 + ((v - 0.02) / 0.44) ** 2 + ((w - arch) / 0.2) ** 2)
    third = np.sqrt((u / 0.02) ** 2 + ((v - 0.05) / 0.18) ** 2 + ((w + 0.12) / 0.14) ** 2)
    return np.asarray(np.minimum((lateral - scale) * 0.065, (third - 1) * 0.03), dtype=np.float32)


def _nuclei(x: Field, y: Field, z: Field, size: float) -> Field:
    """Distance outside the thalami, caudate heads and putamina, negative within, in units of the head's size."""
    u, v, w = np.abs(x) / size, y / size, z / size
    thalamus = np.sqrt(((u - 0.14) / 0.10) ** 2 + ((v - 0.12) / 0.16) ** 2 + ((w + 0.05) / 0.18) ** 2)
    caudate = np.sqrt(((u - 0.17) / 0.05) ** 2 + ((v + 0.22) / 0.12) ** 2 + ((w + 0.02) / 0.2) ** 2)
    putamen = np.sqrt(((u - 0.32 + 0.12 * np.abs(v)) / 0.055) ** 2 + ((v + 0.06) / 0.2) ** 2 + ((w + 0.08) / 0.18) ** 2)
    return np.asarray((np.minimum(np.minimum(thalamus, caudate), putamen) - 1) * 0.07, dtype=np.float32)


def _assemble(
    depth: Field,
    folds: Field,
    from_middle: Field,
    ventricles: Field,
    nuclei: Field,
    size: float,
    spacing: tuple[float, ...],
) -> Brain:
    """Paints one tissue over the other, from the outside in; edges are about a voxel soft."""
    soft = np.float32(0.35 * spacing[-1])
    deep = np.clip(depth / np.float32(0.36 * size), 0, 1)  # folds get narrower on the way in
    fold = np.float32(size) * folds - np.float32(0.020 * size) * (1 - deep)
    cleft = np.float32(size) * from_middle - np.float32(0.012 * size) * np.clip(2 - depth / (0.28 * size), 0, 1)
    furrow = np.minimum(np.where(deep < 1, fold, np.inf), np.where(depth < 0.6 * size, cleft, np.inf))
    ribbon = np.float32(0.05 * size)
    near_fold = np.where(deep < 1, furrow - ribbon, np.where(depth < 0.4 * size, cleft - ribbon, np.inf))
    layers = {
        "scalp": depth + 0.135 * size,
        "skull": depth + 0.085 * size,
        "csf": depth + 0.030 * size,
        "gray": depth,
        "white": np.minimum(depth - 1.2 * ribbon, near_fold),
        "nuclei": -nuclei * size,
    }
    shares = {"air": np.ones_like(depth)}
    for tissue, inside in layers.items():
        _paint(shares, tissue, _edge(inside, soft))
    _paint(shares, "csf", _edge(-furrow, soft) * _edge(depth, soft))
    _paint(shares, "csf", _edge(-ventricles * size, soft))
    distance = ndimage.distance_transform_edt(ventricles > 0, sampling=spacing).astype(np.float32)
    return Brain(shares, depth, distance, spacing)


def _edge(inside: Field, soft: np.float32) -> Field:
    """1 well inside, 0 well outside, smooth between."""
    return np.asarray(0.5 + 0.5 * np.tanh(np.clip(inside / soft, -20, 20)), dtype=np.float32)


def _paint(shares: dict[str, Field], tissue: str, share: Field) -> None:
    for other in shares:
        shares[other] = shares[other] * (1 - share)
    shares[tissue] = shares.get(tissue, np.float32(0)) + share
