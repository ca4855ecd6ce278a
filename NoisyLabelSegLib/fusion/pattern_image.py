"""An image of vote-pattern numbers, packed eight voxels to a 64-bit word, and the images that tables make of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.fusion.bit_codes import BitCodes

VOXELS_PER_WORD = 8
WordIndex = NDArray[np.intp]
Arrays = list[NDArray[np.uint64]]
_ALL_KNOWN = np.uint64(0x0101010101010101)  # eight voxels of a mask that is True everywhere
_SCAN_CHUNK = 1 << 17  # words; everyone's words of a chunk stay in the processor's last-level cache
_LOOKUP_CHUNK = 1 << 13  # words; the voxels of a chunk, widened to 64 bits, stay in the processor's cache
_FEW_CHANGE = 1 << 15  # words that are worth a turn when few of them are written
_MANY = 1 << 18  # voxels from which on a table for pairs of voxels pays
_GROUPS = 32  # bits for half a word


@dataclass(frozen=True)
class Places:
    """A number for every voxel of an image: `codes` (8 W,) in the busy words `words` (W,), 0 everywhere else."""

    shape: tuple[int, ...]
    words: WordIndex
    codes: NDArray[Any]

    @cached_property
    def groups(self) -> NDArray[np.uint64] | None:
        """In which words (W,) a number may be; see `_groups_in`."""
        return _groups_in(self.codes)

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

        Where there are `groups`, only words in which a number changes its entry are written.
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
        step = _LOOKUP_CHUNK * len(codes) // max(len(self.words), 1)
        for start in range(0, len(self.words), _LOOKUP_CHUNK):
            first = start // _LOOKUP_CHUNK * step
            voxels = table.take(codes[first : first + step]).view(image.dtype)
            write_words(image, self.words[start : start + _LOOKUP_CHUNK], voxels)


class Words:
    """A (*shape) uint8 or bool image in memory order as words; the voxels of a last, incomplete word are padded."""

    def __init__(self, image: NDArray[Any], padding: int = 0) -> None:
        flat = image.reshape(-1).view(np.uint8)
        whole = flat.size // VOXELS_PER_WORD
        self.whole: NDArray[np.uint64] = flat[: whole * VOXELS_PER_WORD].view(np.uint64)
        rest = np.full(VOXELS_PER_WORD, padding, dtype=np.uint8)
        rest[: flat.size % VOXELS_PER_WORD] = flat[whole * VOXELS_PER_WORD :]
        self.rest: NDArray[np.uint64] = rest.view(np.uint64)[: flat.size % VOXELS_PER_WORD]

    def take(self, index: WordIndex) -> NDArray[np.uint8]:
        """The voxels (8 n,) of these words, which are in ascending order."""
        if index.size and index[-1] == self.whole.size:
            return np.append(self.whole.take(index[:-1]), self.rest[:1]).view(np.uint8)
        return self.whole.take(index).view(np.uint8)


def busy_words(labels: Sequence[Words], masks: Sequence[Words]) -> tuple[WordIndex, int, BitCodes | None]:
    """The words in which any label is not 0 or any mask is not True, and an upper bound of all labels.

    The votes of these words come along as bits where they fit and there are no masks; otherwise None.
    """
    buffer = np.empty(min(_SCAN_CHUNK, max(labels[0].whole.size, 1)), dtype=np.uint64)
    found: list[WordIndex] = []
    codes, bound = BitCodes(len(labels), possible=not masks), 0
    for start, said, looked in _parts(labels, masks):
        marked = buffer[: said[0].size]
        _marks(said, looked, marked)
        busy = np.flatnonzero(marked.astype(np.bool_))  # a detour that numpy does faster than nonzero of numbers
        bits = np.bitwise_or.reduce(marked.take(busy), keepdims=True)
        bound |= int(np.bitwise_or.reduce(bits.view(np.uint8)))
        codes.add(said, busy, bound)
        found.append(busy + start)
    return np.concatenate(found), bound, codes if codes.fits else None


def write_words(image: NDArray[Any], index: WordIndex, voxels: NDArray[Any]) -> None:
    """Writes `voxels` (8 n,) into these words, in ascending order, of a contiguous image of the same number type."""
    flat = image.reshape(-1)
    whole = flat.size // VOXELS_PER_WORD
    if index.size and index[-1] == whole:
        flat[whole * VOXELS_PER_WORD :] = voxels[-VOXELS_PER_WORD:][: flat.size % VOXELS_PER_WORD]
        index, voxels = index[:-1], voxels[:-VOXELS_PER_WORD]
    body = flat[: whole * VOXELS_PER_WORD]
    if image.dtype.itemsize == 1:
        body.view(np.uint64)[index] = voxels.view(np.uint64)
    else:
        body.reshape(-1, VOXELS_PER_WORD)[index] = voxels.reshape(-1, VOXELS_PER_WORD)


def count_numbers(codes: NDArray[Any], total: int) -> NDArray[np.int64]:
    """In how many voxels each number below `total` occurs, (total,)."""
    if _in_pairs(codes):
        both = _counts(codes.view(np.uint16), 1 << 16, chunk=1 << 17).reshape(256, 256)
        return np.asarray((both.sum(axis=0) + both.sum(axis=1))[:total])
    return _counts(codes, total, chunk=_LOOKUP_CHUNK * VOXELS_PER_WORD)


def _groups_in(codes: NDArray[Any]) -> NDArray[np.uint64] | None:
    """Which numbers occur in each word, (W,): 32 bits for either half of it, each for every 32nd number.

    None for images in which it would not pay.
    """
    if not _in_pairs(codes):
        return None
    bits = np.uint32(1) << np.arange(256, dtype=np.uint32) % np.uint32(_GROUPS)
    table = np.bitwise_or.outer(bits, bits).reshape(-1)
    groups = np.empty(len(codes) // VOXELS_PER_WORD, dtype=np.uint64)
    pairs = codes.view(np.uint16).reshape(-1, VOXELS_PER_WORD // 2)
    for start in range(0, len(groups), _LOOKUP_CHUNK):
        halves = table.take(pairs[start : start + _LOOKUP_CHUNK]).view(np.uint64)
        np.bitwise_or(halves[:, 0], halves[:, 1], out=groups[start : start + _LOOKUP_CHUNK])
    return groups


def _parts(labels: Sequence[Words], masks: Sequence[Words]) -> Iterator[tuple[int, Arrays, Arrays]]:
    """The first word of every chunk, and the chunk's words in all labels and in all masks."""
    size = labels[0].whole.size
    for start in range(0, size, _SCAN_CHUNK):
        part = slice(start, start + _SCAN_CHUNK)
        yield start, [words.whole[part] for words in labels], [words.whole[part] for words in masks]
    if labels[0].rest.size:
        yield size, [words.rest for words in labels], [words.rest for words in masks]


def _marks(labels: Arrays, masks: Arrays, out: NDArray[np.uint64]) -> None:
    """The bits that are set in any label, plus bit 0 of every voxel outside a mask."""
    np.copyto(out, labels[0]) if len(labels) == 1 else np.bitwise_or(labels[0], labels[1], out=out)
    for words in labels[2:]:
        np.bitwise_or(out, words, out=out)
    for words in masks:
        np.bitwise_or(out, words ^ _ALL_KNOWN, out=out)


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
