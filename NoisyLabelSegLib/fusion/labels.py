"""Takes labels as callers have them and makes sure they can be fused; nothing of the caller's is changed or copied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.errors import UserError

Labels = NDArray[np.uint8]
Mask = NDArray[np.bool_]


def checked_labels(labels: Any) -> list[Labels | None]:
    """One (*shape) uint8 array, in memory order, or None per annotator; all of one shape and at least one array."""
    checked = [None if array is None else _as_labels(array, index) for index, array in enumerate(labels)]
    present = [array for array in checked if array is not None]
    if not present:
        raise UserError("Nobody labelled this case", remedy="give the labels of at least one annotator")
    for array in present:
        _require_shape(array, present[0].shape, "labels")
    if present[0].size == 0:
        raise UserError("The labels have no voxels")
    return checked


def checked_masks(known: Sequence[Any] | None, labels: Sequence[Labels | None]) -> list[Mask | None]:
    """One (*shape) bool array, in memory order, or None (looked everywhere) per annotator."""
    if known is None:
        return [None] * len(labels)
    if len(known) != len(labels):
        raise UserError(
            f"known= has {len(known)} masks for {len(labels)} annotators", remedy="give one mask or None each"
        )
    shape = next(array.shape for array in labels if array is not None)
    masks = [None if mask is None else np.ascontiguousarray(mask, dtype=np.bool_) for mask in known]
    for mask in masks:
        if mask is not None:
            _require_shape(mask, shape, "masks in known=")
    return [mask if array is not None else None for mask, array in zip(masks, labels, strict=True)]


def _as_labels(array: Any, index: int) -> Labels:
    array = np.asarray(array)
    if array.dtype == np.bool_:
        return np.ascontiguousarray(array).view(np.uint8)
    if array.dtype != np.uint8 and array.size:
        inside = bool(array.min() >= 0 and array.max() <= 255)  # False for NaN, too
        if not inside or (array.dtype.kind == "f" and (array != np.rint(array)).any()):
            raise UserError(
                f"The labels of annotator {index + 1} are not whole numbers from 0 to 255",
                remedy="number the classes from 0 (background)",
            )
    return np.ascontiguousarray(array, dtype=np.uint8)


def _require_shape(array: NDArray[Any], shape: tuple[int, ...], what: str) -> None:
    if array.shape != shape:
        raise UserError(
            f"The {what} have different sizes ({_by(array.shape)} and {_by(shape)} voxels)",
            remedy="resample them onto one grid first",
        )


def _by(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape))
