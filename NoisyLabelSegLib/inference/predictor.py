"""Predicts one prepared case: whole slices, or overlapping tiles of what is too large, in bounded working memory."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.networks import SegmentationNetwork

Tile = tuple[Any, ...]
"""An index into arrays whose last axes are the grid: an ellipsis, then a slice per axis."""


def tiles(shape: Sequence[int], edge: int, *, overlap: float = 0.5) -> list[Tile]:
    """Boxes of at most `edge` a side that cover the grid, evenly spread; one box where the grid is no larger."""
    starts = []
    for length in shape:
        size = min(edge, length)
        count = 1 if length <= edge else math.ceil((length - size) / max(size * (1 - overlap), 1)) + 1
        starts.append([(round(start), size) for start in np.linspace(0, length - size, count)])
    return [(..., *(slice(start, start + size) for start, size in box)) for box in itertools.product(*starts)]


def tile_weight(shape: Sequence[int]) -> NDArray[np.float32]:
    """Weights (*shape), 1 in the middle and falling towards the faces, never 0."""
    weight = np.ones(tuple(shape), dtype=np.float32)
    for axis, length in enumerate(shape):
        distance = np.minimum(np.arange(length), np.arange(length)[::-1]) + 1
        ramp = (distance / distance.max()).astype(np.float32)
        weight *= ramp.reshape([-1 if other == axis else 1 for other in range(len(shape))])
    return weight


PIXELS_AT_ONCE = 2**16
"""Pixels in one pass of the network and in one piece of slices on a CPU: few enough for its cache, so that a slice of
256 x 256 takes about 0.8 times as long as in a batch of four (`bench inference`)."""

PIXELS_AT_ONCE_ON_DEVICES = 2**18
"""The same on a GPU, which needs more to be busy."""

LARGEST_2D_EDGE, LARGEST_3D_EDGE = 1024, 128

Field = NDArray[np.float32]


@dataclass(frozen=True)
class Piece:
    """The answer for some slices (2D) or all of a volume (3D): `where` it belongs along the first axis.

    truth (L, n, H, W) float32; labels (R, n, H, W) uint8 and confusion (R, L, L, n, H, W) float32 where asked for.
    """

    where: slice
    truth: Field
    labels: NDArray[np.uint8] | None
    confusion: Field | None


class Predictor:
    """Runs a network over prepared images, larger ones in overlapping tiles of `patch` a side (0: as large as can be).

    flips: test-time augmentation, the mean over the image and its mirror images.
    """

    def __init__(
        self, network: SegmentationNetwork, *, patch: int = 0, flips: bool = False, device: torch.device | None = None
    ) -> None:
        self._device = device or torch.device("cpu")
        self._network = network.to(self._device).eval()
        self._dimensions = network.architecture.dimensions
        largest = LARGEST_2D_EDGE if self._dimensions == 2 else LARGEST_3D_EDGE
        self._edge = min(patch or largest, largest)
        axes = range(2, 2 + self._dimensions)
        self._flips = (
            [c for n in range(self._dimensions + 1) for c in itertools.combinations(axes, n)] if flips else [()]
        )

    @property
    def _pixels_at_once(self) -> int:
        return PIXELS_AT_ONCE if self._device.type == "cpu" else PIXELS_AT_ONCE_ON_DEVICES

    @torch.inference_mode()
    def pieces(self, image: Field, *, labels: bool = False, confusion: bool = False) -> Iterator[Piece]:
        """The prediction of image (C, N, H, W) piece by piece, in order."""
        wanted = labels or confusion
        if self._dimensions == 3:
            yield self._piece(slice(0, image.shape[1]), image[None], wanted, keep=confusion)
            return
        height, width = image.shape[2:]
        count = max(1, self._pixels_at_once // (height * width))
        for start in range(0, image.shape[1], count):
            where = slice(start, min(start + count, image.shape[1]))
            yield self._piece(where, np.moveaxis(image[:, where], 1, 0), wanted, keep=confusion)

    def _piece(self, where: slice, stack: Field, wanted: bool, *, keep: bool) -> Piece:
        """stack: (n, C, *S). Tiles are averaged by weight; a single tile is taken as it is."""
        boxes = tiles(stack.shape[2:], self._edge)
        if len(boxes) == 1:
            truth, matrices = self._fields(stack, wanted)
        else:
            truth, matrices = self._blended(stack, boxes, wanted)
        said = None if matrices is None else self._said(matrices, truth)
        return Piece(
            where,
            self._ordered(truth),
            None if said is None else self._ordered(said),
            self._ordered(matrices) if keep and matrices is not None else None,
        )

    def _blended(self, stack: Field, boxes: list[Tile], wanted: bool) -> tuple[Tensor, Tensor | None]:
        """The same from tiles, which are all of one size, so that several make a batch."""
        architecture, space = self._network.architecture, stack.shape[2:]
        truth = torch.zeros(len(stack), architecture.classes, *space)
        matrices = None
        if wanted:
            matrices = torch.zeros(
                len(stack), architecture.annotators, architecture.classes, architecture.classes, *space
            )
        total = torch.zeros(space)
        size = stack[boxes[0]].shape[2:]
        weight = torch.from_numpy(tile_weight(size))
        together = max(1, self._pixels_at_once // (len(stack) * weight.numel()))
        for start in range(0, len(boxes), together):
            some = boxes[start : start + together]
            tiles_truth, tiles_matrices = self._fields(np.concatenate([stack[box] for box in some]), wanted)
            for box, tile in zip(some, torch.split(tiles_truth, len(stack)), strict=True):
                total[box] += weight
                truth[box] += tile * weight
            if matrices is not None and tiles_matrices is not None:
                for box, tile in zip(some, torch.split(tiles_matrices, len(stack)), strict=True):
                    matrices[box] += tile * weight
        return truth.div_(total), None if matrices is None else matrices.div_(total)

    def _fields(self, stack: Field, wanted: bool) -> tuple[Tensor, Tensor | None]:
        """p (n, L, *S) and, if wanted, A (n, R, L, L, *S), on the CPU, averaged over flips."""
        images = torch.from_numpy(np.require(stack, requirements=["C", "W"])).to(self._device)
        truth, matrices = self._network.predict(images, annotators=wanted)
        for axes in self._flips[1:]:
            back = [axis - images.ndim for axis in axes]
            flipped_truth, flipped_matrices = self._network.predict(images.flip(axes), annotators=wanted)
            truth += flipped_truth.flip(back)
            if matrices is not None and flipped_matrices is not None:
                matrices += flipped_matrices.flip(back)
        if len(self._flips) > 1:
            truth /= len(self._flips)
            matrices = None if matrices is None else matrices.div_(len(self._flips))
        for field in (truth, matrices):
            if field is not None and not torch.isfinite(field).all():
                raise UserError(
                    "The model's output for this image holds values that are not numbers",
                    remedy="check the image's intensities, or train the model again",
                )
        return truth.cpu(), None if matrices is None else matrices.cpu()

    def _said(self, matrices: Tensor, truth: Tensor) -> Tensor:
        """The label each annotator would most likely give: (n, R, *S)."""
        best = self._chance(0, matrices, truth)
        said = torch.zeros(best.shape, dtype=torch.uint8)
        for label in range(1, truth.shape[1]):  # an argmax over this axis would take several times as long
            chance = self._chance(label, matrices, truth)
            said.masked_fill_(chance > best, label)
            best = torch.maximum(best, chance)
        return said

    def _chance(self, label: int, matrices: Tensor, truth: Tensor) -> Tensor:
        """How likely each annotator is to give the label: (n, R, *S)."""
        chance = matrices[:, :, label, 0] * truth[:, None, 0]
        for true in range(1, truth.shape[1]):
            chance.addcmul_(matrices[:, :, label, true], truth[:, None, true])
        return chance

    def _ordered(self, tensor: Tensor) -> NDArray[Any]:
        """(n, ..., H, W) with slices first to (..., n, H, W); a volume loses its batch axis."""
        array: NDArray[Any] = tensor.numpy()
        return array[0] if self._dimensions == 3 else np.moveaxis(array, 0, -3)


def likeliest_labels(confusion: Field, probabilities: Field) -> NDArray[np.uint8]:
    """What an annotator with matrices (L, L, *shape) most likely says where the truth has probabilities (L, *shape)."""
    said: NDArray[Any] = np.einsum("ij...,j...->i...", confusion, probabilities).argmax(axis=0)
    return said.astype(np.uint8)
