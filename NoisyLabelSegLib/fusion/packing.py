"""Checks the labels of all annotators and packs them into one vote-pattern number per voxel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.pattern_image import (
    VOXELS_PER_WORD,
    Places,
    WordIndex,
    Words,
    busy_words,
    count_numbers,
)

UNKNOWN = -1
"""The vote of an annotator who did not look at the voxel."""
_CHUNK = 1 << 13  # words; everyone's voxels of a chunk stay in the processor's cache
_MOST_FLAGS = 1 << 24  # up to this many possible pattern numbers are renumbered without sorting
Labels = NDArray[np.uint8]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Packed(Places):
    """Which votes each voxel got: `patterns` (N, R) int16 holds the votes (labels or UNKNOWN) behind each number.

    `counts` (N,) int64 are the voxels of each pattern in the whole image. Pattern 0 is background from everyone who is
    present.
    """

    patterns: NDArray[np.int16]
    counts: NDArray[np.int64]


def pack(labels: Sequence[Labels | None], known: Sequence[Mask | None]) -> Packed:
    """Packs checked labels; an annotator who is None has UNKNOWN in every pattern."""
    present = [index for index, array in enumerate(labels) if array is not None]
    arrays = [array for array in labels if array is not None]
    images = [Words(array) for array in arrays]
    masks = [None if mask is None else Words(mask, padding=1) for mask in (known[index] for index in present)]
    words, bound, bits = busy_words(images, [mask for mask in masks if mask is not None])
    if bits is not None:
        codes, symbols = bits.codes(), bits.symbols()
        counts, values = count_numbers(codes, len(symbols)), np.arange(1 << bits.width, dtype=np.int16)
    else:
        votes = _Votes(images, masks, _values(images, words, bound))
        narrow = votes.radix ** len(images) <= 1 << 16
        codes, symbols, counts = _number(votes, words) if narrow else _renumber(votes, words)
        values = votes.values.astype(np.int16)
    counts[0] += arrays[0].size - codes.size  # also takes back the padding of the last word, which says background
    patterns = np.full((len(counts), len(labels)), UNKNOWN, dtype=np.int16)
    patterns[:, present] = np.append(values, np.int16(UNKNOWN))[symbols]
    return Packed(arrays[0].shape, words, codes, patterns, counts)


def checked_labels(labels: Any) -> list[Labels | None]:
    """One (*shape) uint8 array, in memory order, or None per annotator; all of one shape and at least one array."""
    if isinstance(labels, str) or not np.iterable(labels):
        raise UserError("The labels are not one array per annotator", remedy="give (R, *shape) or a list of R arrays")
    checked = [None if array is None else _as_labels(array, index) for index, array in enumerate(labels)]
    present = [array for array in checked if array is not None]
    if not present:
        raise UserError("Nobody labeled this case", remedy="give the labels of at least one annotator")
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


def used_numbers(codes: NDArray[np.int64], total: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The numbers below `total` that occur, 0 among them in any case, and the codes as places in that list."""
    if total > _MOST_FLAGS:
        used, places = np.unique(np.append(codes, 0), return_inverse=True)
        return used, places[:-1]
    flags = np.bincount(codes, minlength=total).astype(np.bool_)
    flags[0] = True
    return np.flatnonzero(flags), (np.cumsum(flags) - 1).take(codes)


class _Votes:
    """Reads votes as symbols: the place of the label among `values`, or one more for a voxel not looked at."""

    def __init__(self, images: list[Words], masks: list[Words | None], values: NDArray[np.uint8]) -> None:
        self.images, self.masks, self.values = images, masks, values
        self.radix = len(values) + any(mask is not None for mask in masks)
        self._place: NDArray[np.uint8] | None = None
        if values[-1] != len(values) - 1:
            self._place = np.zeros(256, dtype=np.uint8)
            self._place[values] = np.arange(len(values))

    def symbols(self, annotator: int, index: WordIndex) -> NDArray[Any]:
        """The symbols (8 n,) of one annotator in these words: uint8, or int16 where uint8 cannot hold them."""
        symbols: NDArray[Any] = self.images[annotator].take(index)
        if self._place is not None:
            symbols = self._place.take(symbols)
        mask = self.masks[annotator]
        if mask is None:
            return symbols
        unknown = np.array(len(self.values), dtype=np.uint8 if len(self.values) < 256 else np.int16)
        return np.where(mask.take(index).view(np.bool_), symbols, unknown)


def _values(images: list[Words], words: WordIndex, bound: int) -> NDArray[np.uint8]:
    """The labels that may occur, background first; few small numbers are not worth a closer look."""
    if bound < 4:
        return np.arange(max(bound + 1, 2), dtype=np.uint8)
    seen = np.zeros(256, dtype=np.bool_)
    seen[:2] = True
    for start in range(0, len(words), _CHUNK):
        for image in images:
            seen |= np.bincount(image.take(words[start : start + _CHUNK]), minlength=256).astype(np.bool_)
    return np.flatnonzero(seen).astype(np.uint8)


def _number(votes: _Votes, words: WordIndex) -> tuple[NDArray[Any], NDArray[np.intp], NDArray[np.int64]]:
    """Pattern numbers that count through all possible votes: codes, the symbols (N, R) of each number, counts."""
    total = votes.radix ** len(votes.images)
    codes = np.empty(len(words) * VOXELS_PER_WORD, dtype=np.uint8 if total <= 256 else np.uint16)
    for start in range(0, len(words), _CHUNK):
        index = words[start : start + _CHUNK]
        chunk = codes[start * VOXELS_PER_WORD : (start + _CHUNK) * VOXELS_PER_WORD]
        chunk[:] = votes.symbols(0, index)
        # No voxel's number ever leaves its bits, so whole words can be multiplied and added.
        lanes = chunk.view(np.uint64)
        for annotator in range(1, len(votes.images)):
            lanes *= np.uint64(votes.radix)
            lanes += votes.symbols(annotator, index).astype(codes.dtype, copy=False).view(np.uint64)
    symbols = np.stack(np.unravel_index(np.arange(total), (votes.radix,) * len(votes.images)), axis=1)
    return codes, symbols, count_numbers(codes, total)


def _renumber(votes: _Votes, words: WordIndex) -> tuple[NDArray[Any], NDArray[np.intp], NDArray[np.int64]]:
    """The same for votes with too many possible patterns: only those that occur get a number; 0 stays background."""
    codes = np.zeros(len(words) * VOXELS_PER_WORD, dtype=np.int64)
    symbols = np.zeros((1, 0), dtype=np.intp)
    for annotator in range(len(votes.images)):
        codes *= votes.radix
        codes += votes.symbols(annotator, words)
        used, codes = used_numbers(codes, len(symbols) * votes.radix)
        symbols = np.column_stack([symbols[used // votes.radix], used % votes.radix])
    counts = np.bincount(codes, minlength=len(symbols))
    return codes.astype(np.min_scalar_type(len(symbols))), symbols, counts


def _as_labels(array: Any, index: int) -> Labels:
    array = np.asarray(array)
    if array.ndim == 0:
        raise UserError(
            f"The labels of annotator {index + 1} are a single number, not an image",
            remedy="give (R, *shape) or a list of R arrays",
        )
    if array.dtype == np.bool_:
        return np.ascontiguousarray(array).view(np.uint8)
    if array.dtype != np.uint8 and array.size:
        inside = array.dtype.kind in "iuf" and bool(array.min() >= 0 and array.max() <= 255)  # False for NaN, too
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
