"""Images as rows of eight voxels: one 64-bit word of labels each, so that numpy handles eight voxels at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

VOXELS_PER_WORD = 8
WordIndex = NDArray[np.intp]

_ALL_KNOWN = np.uint64(0x0101010101010101)  # eight voxels of a mask that is True everywhere
_CHUNK = 1 << 15  # words; two buffers of this size fit the processor's second-level cache


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


def busy_words(labels: Sequence[Words], masks: Sequence[Words]) -> tuple[WordIndex, int]:
    """The words in which any label is not 0 or any mask is not True, and an upper bound of all labels."""
    size = labels[0].whole.size
    buffer = np.empty(min(_CHUNK, size), dtype=np.uint64)
    found: list[WordIndex] = []
    bits = np.uint64(0)
    for start in range(0, size, _CHUNK):
        stop = min(start + _CHUNK, size)
        marked = buffer[: stop - start]
        _marks([w.whole[start:stop] for w in labels], [w.whole[start:stop] for w in masks], marked)
        busy = np.flatnonzero(marked.astype(np.bool_))  # a detour that numpy does faster than nonzero of numbers
        bits |= np.bitwise_or.reduce(marked.take(busy))
        found.append(busy + start)
    if labels[0].rest.size:
        last = np.empty(1, dtype=np.uint64)
        _marks([w.rest[:1] for w in labels], [w.rest[:1] for w in masks], last)
        bits |= last[0]
        found.append(np.flatnonzero(last) + size)
    return np.concatenate(found), int(np.bitwise_or.reduce(np.array([bits]).view(np.uint8)))


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


def _marks(labels: Sequence[NDArray[np.uint64]], masks: Sequence[NDArray[np.uint64]], out: NDArray[np.uint64]) -> None:
    """The bits that are set in any label, plus bit 0 of every voxel outside a mask."""
    np.copyto(out, labels[0]) if len(labels) == 1 else np.bitwise_or(labels[0], labels[1], out=out)
    for words in labels[2:]:
        np.bitwise_or(out, words, out=out)
    for words in masks:
        np.bitwise_or(out, words ^ _ALL_KNOWN, out=out)
