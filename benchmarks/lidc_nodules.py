"""Slices of lung nodules of LIDC-IDRI with four reader slots, split by patient, as a study in memory."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Case, Geometry, Image, Study
from NoisyLabelSegLib.cases.case import Annotation
from NoisyLabelSegLib.cases.study import LazyCases
from NoisyLabelSegLib.errors import UserError

SLOTS = ("slot1", "slot2", "slot3", "slot4")
"""Places of the four readings of a scan. Readers are anonymous, so that a slot is another person in another scan."""

CLASSES = ("background", "nodule")
PARTS = ("train", "validate", "test")
ARRAYS, SPLIT = "lidc_nodules_2d_large.npz", "split.json"
EDGE = 128


@dataclass(frozen=True)
class NoduleSlices:
    """image (N, 128, 128) uint8; masks (N, 4, 128, 128) 0 or 1, empty for a reader who did not outline the nodule."""

    image: NDArray[np.uint8]
    masks: NDArray[np.uint8]
    patient: NDArray[np.int16]
    ids: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.image)

    def centered(self, edge: int) -> NoduleSlices:
        """The squares of `edge` pixels in the middle, where the nodules lie."""
        middle = slice((EDGE - edge) // 2, (EDGE + edge) // 2)
        return NoduleSlices(self.image[:, middle, middle], self.masks[..., middle, middle], self.patient, self.ids)


def read_slices(folder: Path, part: str) -> NoduleSlices:
    """The slices of a part of the split; raises UserError where the folder does not hold the data set."""
    try:
        with np.load(folder / ARRAYS) as arrays:
            chosen = np.flatnonzero(np.isin(arrays["patient"], json.loads((folder / SPLIT).read_text())[part]))
            numbers = [arrays[name][chosen] for name in ("patient", "nodule", "slice")]
            return NoduleSlices(
                arrays["image"][chosen],
                np.unpackbits(arrays["masks_packed"][chosen], axis=-1),
                numbers[0],
                tuple(f"{patient:04d}_{nodule}_{number}" for patient, nodule, number in zip(*numbers, strict=True)),
            )
    except (OSError, KeyError, ValueError) as error:
        raise UserError(
            f"does not hold the nodule slices of LIDC-IDRI ({ARRAYS} and {SPLIT})",
            file=folder,
            remedy="give the folder lidc-nodules-2d-large",
            detail=str(error),
        ) from error


def study_of(parts: dict[str, NoduleSlices]) -> Study:
    """A study in memory; a reader who did not outline the nodule has an empty mask, as is usual for this data set."""
    entries = [(part, slices, number) for part, slices in parts.items() for number in range(len(slices))]
    return Study("lidc-nodules", CLASSES, SLOTS, LazyCases(entries, _case, keep=False))


def _case(entry: tuple[str, NoduleSlices, int]) -> Case:
    part, slices, number = entry
    geometry = Geometry.plain(slices.image.shape[1:])
    image = partial(Image, geometry=geometry)
    annotations = {slot: Annotation(image(mask)) for slot, mask in zip(SLOTS, _masks(slices, number), strict=True)}
    return Case(slices.ids[number], (image(slices.image[number]),), annotations, split=part, classes=len(CLASSES))


def _masks(slices: NoduleSlices, number: int) -> NDArray[Any]:
    return np.ascontiguousarray(slices.masks[number])
