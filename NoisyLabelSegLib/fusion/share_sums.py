"""Shares p(says i | truth j) over many cases, with 95 % confidence intervals, in constant memory."""

from __future__ import annotations

import numpy as np
from scipy.special import stdtrit

from NoisyLabelSegLib.fusion.table import Floats

_TWO_SIDED = 0.975


class ShareSums:
    """Adds up, case by case and in constant memory, shares p(says i | truth j) and how much cases differ in them.

    Voxels of one case err together, so the case is the unit: the variance is that of a ratio of sums over cases.
    """

    def __init__(self) -> None:
        self._cases: Floats = np.zeros(())
        self._said: Floats = np.zeros(())
        self._squares: Floats = np.zeros(())
        self._products: Floats = np.zeros(())
        self._total_squares: Floats = np.zeros(())

    def add(self, counts: Floats) -> None:
        """Counts (..., i, j) of one case: voxels in which i is said while j is true."""
        totals = np.broadcast_to(counts.sum(axis=-2, keepdims=True), counts.shape)
        self._cases = self._cases + (totals > 0)
        self._said = self._said + counts
        self._squares = self._squares + counts**2
        self._products = self._products + counts * totals
        self._total_squares = self._total_squares + totals**2

    def shares(self) -> Floats:
        """(..., i, j): the share over all cases, NaN where j never occurs."""
        return np.asarray(self._said / self._totals())

    def interval(self) -> tuple[Floats, Floats]:
        """The lower and upper end of every share's 95 % interval (Wilson's, with the cases' effective number).

        A class that occurs in one case only has its voxels as the unit, which makes the interval too narrow.
        """
        share, totals, cases = self.shares(), self._totals(), self._cases
        spread = self._squares - 2 * share * self._products + share**2 * self._total_squares
        variance = spread * cases / np.maximum(cases - 1, 1) / totals**2
        varies = (cases > 1) & (variance > 1e-15)
        effective = np.where(cases > 1, cases, totals).astype(np.float64)
        np.divide(share * (1 - share), variance, out=effective, where=varies)
        return _wilson(share, effective, np.where(cases > 1, stdtrit(np.maximum(cases - 1, 1), _TWO_SIDED), 1.96))

    def _totals(self) -> Floats:
        """(..., i, j): the voxels in which j is true, NaN for none."""
        totals = np.broadcast_to(self._said.sum(axis=-2, keepdims=True), self._said.shape)
        return np.where(totals > 0, totals, np.nan)


def _wilson(share: Floats, number: Floats, quantile: Floats) -> tuple[Floats, Floats]:
    square = quantile**2 / number
    center = (share + square / 2) / (1 + square)
    half = np.sqrt(share * (1 - share) * square + square**2 / 4) / (1 + square)
    return np.clip(center - half, 0, 1), np.clip(center + half, 0, 1)
