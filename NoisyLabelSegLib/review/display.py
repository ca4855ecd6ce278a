"""How slices are shown: as radiologists look at them, the patient's right on the left of the screen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Geometry

_TOWARDS = (("L", "R"), ("P", "A"), ("S", "I"))  # the letters at the positive and negative end of each LPS axis


@dataclass(frozen=True)
class Display:
    """The slices along an array's first axis (the picture itself in 2D), turned for the screen.

    `left` and `top` name the patient side at these edges of the screen, empty in 2D. `pixel` is height and width of a
    displayed pixel in millimetres.
    """

    transposed: bool
    flipped: tuple[bool, bool]
    pixel: tuple[float, float]
    left: str = ""
    top: str = ""

    @classmethod
    def of(cls, geometry: Geometry) -> Display:
        """Rows run to the back or down, columns to the patient's left, or to the back where slices are sagittal."""
        if geometry.dimension == 2:
            return cls(False, (False, False), geometry.spacing_zyx)  # type: ignore[arg-type]
        patient_axes, signs = _nearest_patient_axes(geometry)
        row, column = patient_axes[1], patient_axes[0]  # of the array's y and x axis
        transposed = column > row  # of left-right, front-back and head-foot, the earlier runs across the screen
        row_sign, column_sign = signs[1], signs[0]
        pixel = (geometry.spacing[1], geometry.spacing[0])
        if transposed:
            row, column, row_sign, column_sign, pixel = column, row, column_sign, row_sign, pixel[::-1]
        down = -1 if row == 2 else 1  # heads are up
        flipped = (row_sign != down, column_sign != 1)
        return cls(transposed, flipped, pixel, left=_TOWARDS[column][1], top=_TOWARDS[row][0 if down < 0 else 1])

    def turn(self, array: NDArray[Any]) -> NDArray[Any]:
        """A slice (rows, columns) of the array as it is shown."""
        array = array.T if self.transposed else array
        return array[:: -1 if self.flipped[0] else 1, :: -1 if self.flipped[1] else 1]


def _nearest_patient_axes(geometry: Geometry) -> tuple[list[int], list[int]]:
    """The patient axis (0 left, 1 back, 2 up) nearest to each array axis x, y, z, no two the same, and its sign."""
    direction = np.asarray(geometry.direction).reshape(3, 3)
    left = np.abs(direction)
    axes = [0, 0, 0]
    for _ in range(3):
        patient, array = np.unravel_index(np.argmax(left), left.shape)
        axes[array] = int(patient)
        left[patient, :] = left[:, array] = -1
    return axes, [1 if direction[patient, array] >= 0 else -1 for array, patient in enumerate(axes)]
