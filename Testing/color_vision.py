"""How colors look to people with deuteranopia and protanopia, and how different two colors look, in CIELAB."""

from __future__ import annotations

import numpy as np

SIMULATIONS = {
    "normal vision": np.eye(3),
    # Machado, Oliveira, Fernandes, IEEE Transactions on Visualization and Computer Graphics 15, 2009; severity 1.
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
}
_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
_WHITE = _XYZ @ np.ones(3)


def seen(rgb: object, kind: str) -> np.ndarray:
    """sRGB colors (..., 3) from 0 to 1 as people with this kind of color vision see them."""
    linear = _linear(np.asarray(rgb, dtype=float)) @ SIMULATIONS[kind].T
    linear = np.clip(linear, 0, 1)
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)


def lab(rgb: object) -> np.ndarray:
    """CIELAB (..., 3) of sRGB colors from 0 to 1: lightness from 0 to 100 first."""
    xyz = _linear(np.asarray(rgb, dtype=float)) @ _XYZ.T / _WHITE
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], axis=-1)


def difference(one: object, other: object) -> float:
    """How different two sRGB colors look: their distance in CIELAB."""
    return float(np.linalg.norm(lab(one) - lab(other)))


def over(rgba: object, gray: float) -> np.ndarray:
    """A color with its opacity over a gray."""
    color = np.asarray(rgba, dtype=float)
    return color[..., :3] * color[..., 3:] + gray * (1 - color[..., 3:])


def _linear(rgb: np.ndarray) -> np.ndarray:
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
