"""Votes as bits side by side, one byte per voxel: pattern numbers that are made while the images are scanned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_BITS = 8  # of a pattern number


class BitCodes:
    """Pattern numbers of all busy words, one byte per voxel; `fits` until a label is too large for that.

    Every annotator has `width` bits, the first annotator the highest. The width grows with the labels that are seen.
    """

    def __init__(self, annotators: int, *, possible: bool = True) -> None:
        self.annotators, self.width, self.fits = annotators, 1, possible and annotators <= _BITS
        self._codes: list[NDArray[np.uint64]] = []

    def add(self, labels: Sequence[NDArray[np.uint64]], busy: NDArray[np.intp], bound: int) -> None:
        """Appends the words at the places `busy` of everyone's labels; `bound` has every bit of every label so far."""
        if not busy.size or not self._holds(bound.bit_length()):
            return
        codes = labels[0].take(busy)
        for words in labels[1:]:
            # No voxel's number ever leaves its byte, so whole words can be shifted.
            np.left_shift(codes, np.uint64(self.width), out=codes)
            np.bitwise_or(codes, words.take(busy), out=codes)
        self._codes.append(codes)

    def codes(self) -> NDArray[np.uint8]:
        """The numbers (8 W,) of all words so far."""
        return np.concatenate([np.zeros(0, dtype=np.uint64), *self._codes]).view(np.uint8)

    def symbols(self) -> NDArray[Any]:
        """(N, R): the labels behind each of the N numbers that there may be."""
        places = np.arange(self.annotators - 1, -1, -1) * self.width
        return np.arange(1 << self.annotators * self.width)[:, None] >> places & ((1 << self.width) - 1)

    def _holds(self, width: int) -> bool:
        """Whether labels of this many bits fit; rewrites what is there where they need more than before."""
        if not self.fits or width <= self.width:
            return self.fits
        before, self.width, self.fits = self.symbols(), width, self.annotators * width <= _BITS
        if self.fits:
            factors = 1 << np.arange(self.annotators - 1, -1, -1) * width
            table = (before * factors).sum(axis=1).astype(np.uint8)
            self._codes = [table.take(codes.view(np.uint8)).view(np.uint64) for codes in self._codes]
        else:
            self._codes.clear()
        return self.fits
