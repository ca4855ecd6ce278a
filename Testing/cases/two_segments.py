"""The segmentation that tests of DICOM SEG write and read again."""

from __future__ import annotations

import numpy as np

SHAPE = (4, 3, 5)
"""15 pixels per frame: frames do not start at whole bytes."""


def two_segments() -> np.ndarray:
    labels = np.zeros(SHAPE, np.uint8)
    labels[1, 0, :3], labels[2, 2, 4] = 1, 2
    return labels
