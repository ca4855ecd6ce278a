"""What fuse() returns: the estimated truth and every annotator's confusion; images are made when asked for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.fusion.model import Solution, all_classes
from NoisyLabelSegLib.fusion.packing import Packed


class Fusion:
    """The fused labels of one case.

    confusion: (R, L, L) float64, `[r, i, j]` = p(annotator r says i | truth is j); columns sum to one.
    iterations, converged: how the estimation went; 0 and True for methods that need none.
    remarks: sentences about anything that may surprise.
    """

    def __init__(
        self,
        packed: Packed,
        rows: NDArray[np.intp],
        values: NDArray[np.int16],
        found: Solution,
        classes: int,
        remarks: Sequence[str] = (),
    ) -> None:
        self._packed, self._values, self._classes = packed, values, classes
        self._posterior = np.zeros((len(packed.counts), len(values)), dtype=np.float32)
        self._posterior[rows] = found.posterior
        self._decided = np.zeros(len(packed.counts), dtype=np.uint8)
        self._decided[rows] = found.decided
        self.confusion = all_classes(found.confusion, values, classes)
        self.iterations, self.converged = found.iterations, found.converged
        self.remarks = [*remarks, *found.remarks]

    @cached_property
    def labels(self) -> NDArray[np.uint8]:
        """The estimated truth, (*shape) uint8."""
        return self._packed.spread(self._decided)

    @cached_property
    def probabilities(self) -> NDArray[np.float32]:
        """The probability of every class, (L, *shape) float32; sums to one over the classes."""
        image = np.zeros((self._classes, *self._packed.shape), dtype=np.float32)
        for place, value in enumerate(self._values):
            image[value] = self._packed.spread(self._posterior[:, place])
        return image

    def confusion_field(self, annotator: int | None = None) -> NDArray[np.float32]:
        """Confusion at every voxel, (R, L, L, *shape) float32, or (L, L, *shape) of one annotator; a read-only view."""
        matrices = self.confusion if annotator is None else self.confusion[annotator]
        shape = self._packed.shape
        spread = matrices.astype(np.float32).reshape(matrices.shape + (1,) * len(shape))
        return np.broadcast_to(spread, matrices.shape + shape)
