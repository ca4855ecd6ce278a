"""What an MR scanner does to a picture: uneven sensitivity, noise, and numbers without a unit."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.simulation.fields import Field, smooth_noise

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
