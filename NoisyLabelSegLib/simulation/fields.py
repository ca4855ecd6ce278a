"""Smooth random fields, in millimetres, from which anatomy and shaky hands are made."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

Field = NDArray[np.float32]


def smooth_noise(random: np.random.Generator, shape: tuple[int, ...], spacing: Sequence[float], scale: float) -> Field:
    """(*shape) float32 with mean 0 and variance 1 and bumps about `scale` mm wide; spacing in the axes' order."""
    noise = random.standard_normal(shape, dtype=np.float32)
    sigma = [scale / 2 / edge for edge in spacing]
    smooth: Field = ndimage.gaussian_filter(noise, sigma, mode="reflect", truncate=3)
    smooth -= smooth.mean()
    deviation = float(smooth.std())
    return smooth / np.float32(deviation if deviation > 0 else 1)


def positions(shape: tuple[int, ...], spacing: Sequence[float]) -> tuple[Field, ...]:
    """For each axis the distance in mm from the middle of the grid, shaped to broadcast against (*shape)."""
    n = len(shape)
    return tuple(
        ((np.arange(size, dtype=np.float32) - (size - 1) / 2) * edge).reshape(
            [-1 if a == axis else 1 for a in range(n)]
        )
        for axis, (size, edge) in enumerate(zip(shape, spacing, strict=True))
    )


def seeded(*keys: int | str) -> np.random.Generator:
    """A generator that depends on the keys alone, the same in every process (unlike Python's own hash of text)."""
    return np.random.default_rng([zlib.crc32(key.encode()) if isinstance(key, str) else key for key in keys])
