"""A number for every voxel, and the images that tables of numbers make of it.

Most voxels of a scan were marked by nobody. So only the "busy" words (rows of eight voxels), in which anyone marked or
left out anything, keep numbers; every other voxel has number 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.fusion.words import VOXELS_PER_WORD, WordIndex, write_words

_CHUNK = 1 << 13  # words; the voxels of a chunk, widened to 64 bits, stay in the processor's cache
_FEW_CHANGE = 1 << 15  # words that are worth a turn when few of them are written
_MANY = 1 << 18  # voxels from which on a table for pairs of voxels pays
_GROUPS = 32  # bits for half a word


@dataclass(frozen=True)
class Places:
    """A number for every voxel of an image: `codes` (8 W,) in the busy words `words` (W,), 0 everywhere else.

    `groups` (W,), if given, are those of `groups_in`: they say in which words a number may be.
    """

    shape: tuple[int, ...]
    words: WordIndex
    codes: NDArray[Any]
    groups: NDArray[np.uint64] | None = field(default=None, kw_only=True)

    def spread(self, table: NDArray[Any]) -> NDArray[Any]:
        """The image (*shape) whose voxels hold `table[number]`, for a table (N,)."""
        image = np.full(self.shape, table[0]) if table[0] else np.zeros(self.shape, table.dtype)
        self._write(image, table)
        return image

    def spread_rows(self, table: NDArray[Any], rows: slice) -> NDArray[Any]:
        """spread(table)[rows], for rows of the first axis with a start and a stop; the other rows are not made."""
        size = math.prod(self.shape[1:])
        first, last = rows.start * size, rows.stop * size
        start, stop = first // VOXELS_PER_WORD, -(-last // VOXELS_PER_WORD)
        low, high = np.searchsorted(self.words, [start, stop])
        image = np.full((stop - start) * VOXELS_PER_WORD, table[0])
        codes = self.codes[low * VOXELS_PER_WORD : high * VOXELS_PER_WORD]
        write_words(image, self.words[low:high] - start, table.take(codes))
        offset = start * VOXELS_PER_WORD
        return image[first - offset : last - offset].reshape(-1, *self.shape[1:])

    def rewrite(self, image: NDArray[np.uint8], table: NDArray[np.uint8], before: NDArray[np.uint8]) -> None:
        """Turns the image that `spread` makes of the table `before` into that of another table (N,).

        Where `groups` are known, only words in which a number changes its entry are written.
        """
        if table[0] != before[0]:
            image.fill(table[0])
        if table[0] != before[0] or self.groups is None:
            self._write(image, table)
            return
        wanted = _group_bits(np.flatnonzero(table != before))
        codes = self.codes.reshape(-1, VOXELS_PER_WORD)
        for start in range(0, len(self.words), _FEW_CHANGE):
            few = slice(start, start + _FEW_CHANGE)
            changed = np.flatnonzero((self.groups[few] & wanted).astype(np.bool_))
            voxels = table.take(codes[few].take(changed, axis=0)).reshape(-1)
            write_words(image, self.words[few].take(changed), voxels)

    def _write(self, image: NDArray[Any], table: NDArray[Any]) -> None:
        codes = self.codes
        if table.dtype == np.uint8 and _in_pairs(codes):
            codes, table = codes.view(np.uint16), _pairs(table)
        step = _CHUNK * len(codes) // max(len(self.words), 1)
        for start in range(0, len(self.words), _CHUNK):
            first = start // _CHUNK * step
            voxels = table.take(codes[first : first + step]).view(image.dtype)
            write_words(image, self.words[start : start + _CHUNK], voxels)


def count_numbers(codes: NDArray[Any], total: int) -> NDArray[np.int64]:
    """In how many voxels each number below `total` occurs, (total,)."""
    if _in_pairs(codes):
        both = _counts(codes.view(np.uint16), 1 << 16, chunk=1 << 17).reshape(256, 256)
        return np.asarray((both.sum(axis=0) + both.sum(axis=1))[:total])
    return _counts(codes, total, chunk=_CHUNK * VOXELS_PER_WORD)


def groups_in(codes: NDArray[Any]) -> NDArray[np.uint64] | None:
    """Which numbers occur in each word, (W,): 32 bits for either half of it, each for every 32nd number.

    None for images in which it would not pay.
    """
    if not _in_pairs(codes):
        return None
    bits = np.uint32(1) << np.arange(256, dtype=np.uint32) % np.uint32(_GROUPS)
    table = np.bitwise_or.outer(bits, bits).reshape(-1)
    groups = np.empty(len(codes) // VOXELS_PER_WORD, dtype=np.uint64)
    pairs = codes.view(np.uint16).reshape(-1, VOXELS_PER_WORD // 2)
    for start in range(0, len(groups), _CHUNK):
        halves = table.take(pairs[start : start + _CHUNK]).view(np.uint64)
        np.bitwise_or(halves[:, 0], halves[:, 1], out=groups[start : start + _CHUNK])
    return groups


def _group_bits(numbers: NDArray[np.intp]) -> np.uint64:
    """The bits of `groups_in` that stand for these numbers: a word in which none of them is set has no such number."""
    bits = sum({1 << number % _GROUPS for number in numbers.tolist()})
    return np.uint64(bits << _GROUPS | bits)


def _counts(codes: NDArray[Any], total: int, *, chunk: int) -> NDArray[np.int64]:
    counts = np.zeros(total, dtype=np.int64)
    for start in range(0, len(codes), chunk):
        counts += np.bincount(codes[start : start + chunk], minlength=total)
    return counts


def _in_pairs(codes: NDArray[Any]) -> bool:
    """Whether to take two voxels at a time as one 16-bit number."""
    return codes.dtype == np.uint8 and len(codes) > _MANY


def _pairs(table: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """The table (65536,) that looks up two neighboring voxels at once, whichever of them memory has first."""
    padded = np.zeros(256, dtype=np.uint8)
    padded[: len(table)] = table
    both = np.arange(1 << 16, dtype=np.uint16).view(np.uint8)
    return np.asarray(padded.take(both).view(np.uint16))
