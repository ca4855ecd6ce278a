"""Draws whole labelings from the annotator models: which annotator, and labels that are correlated over space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from NoisyLabelSegLib.cases.estimates import Field, Labels


class Draws:
    """The plan of N samples: annotators take turns in a random order, and every sample has one random level.

    A sample of annotator r gives the voxel v the label whose interval of cumulative probability under A_r(v) p(v)
    holds the level: the foreground classes come first, the background last. Each voxel has the distribution that the
    models predict, and all voxels of a sample are drawn together, so that a sample is an outline that is wide or tight
    as a whole; draws that are independent from voxel to voxel would be noise.
    """

    def __init__(self, count: int, annotators: Sequence[str], seed: int) -> None:
        rng = np.random.default_rng(seed)
        order = np.resize(rng.permutation(len(annotators)), count).tolist()
        levels = (rng.permutation(count) + rng.random(count)) / count  # stratified: spread evenly over 0 to 1
        self._samples: Mapping[str, list[tuple[int, float]]] = {
            name: [(number, levels[number]) for number in range(count) if order[number] == place]
            for place, name in enumerate(annotators)
        }

    def fill(self, samples: Labels, annotator: str, confusion: Field, probabilities: Field) -> None:
        """Writes this annotator's samples into (N, *shape); confusion (L, L, *shape), probabilities (L, *shape)."""
        chosen = self._samples[annotator]
        if not chosen:
            return
        reached = np.zeros(probabilities.shape[1:], dtype=np.float32)
        for number, _ in chosen:
            samples[number] = 0
        for label in range(1, len(probabilities)):
            before, reached = reached, reached + np.einsum("j...,j...->...", confusion[label], probabilities)
            for number, level in chosen:
                samples[number][(before <= level) & (level < reached)] = label
