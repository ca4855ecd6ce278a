"""Samples of cases: which comes when, how it is cropped and augmented, and batches of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import Dataset

from NoisyLabelSegLib.training.settings import Settings
from NoisyLabelSegLib.training.source import UNLABELED, CaseArrays, StudySource, Survey


@dataclass(frozen=True)
class Draw:
    """One sample: a case, a slice of it (None for a volume), whether to look for a mark, and its random seed."""

    case: int
    slice: int | None
    marked: bool
    seed: tuple[int, ...]


def epoch_draws(surveys: Sequence[Survey], settings: Settings, epoch: int) -> list[Draw]:
    """The samples of an epoch in order."""
    rng = np.random.default_rng((settings.seed, epoch))
    places = _volumes(surveys, settings, rng) if settings.dimensions == 3 else _slices(surveys, settings, rng)
    order = rng.permutation(len(places))
    if settings.samples:
        order = np.resize(order, settings.samples)
    chosen = (places[index] for index in order.tolist())
    return [
        Draw(case, number, marked, (settings.seed, epoch, position))
        for position, (case, number, marked) in enumerate(chosen)
    ]


def batches(draws: Sequence[Draw], batch: int, *, rank: int = 0, processes: int = 1) -> Iterator[list[Draw]]:
    """This process's share of every batch; the batch of a step is the same however many processes share it."""
    for start in range(0, len(draws), batch):
        whole = draws[start : start + batch]
        yield list(whole[rank::processes]) or [whole[rank % len(whole)]]


_Place = tuple[int, int | None, bool]


def _slices(surveys: Sequence[Survey], settings: Settings, rng: np.random.Generator) -> list[_Place]:
    """Every 2D image, at a mark or anywhere; of volumes every marked slice, and others for the rest of the share."""
    looks = rng.random(len(surveys)) < settings.foreground
    images = [(case, 0, bool(looks[case])) for case, survey in enumerate(surveys) if survey.slices == 1]
    volumes = [(case, survey) for case, survey in enumerate(surveys) if survey.slices > 1]
    marked = [(case, number, True) for case, survey in volumes for number in survey.marked]
    others = [
        (case, number, False)
        for case, survey in volumes
        for number in sorted(set(range(survey.slices)) - set(survey.marked))
    ]
    share = settings.foreground
    wanted = len(others) if share == 0 or not marked else round(len(marked) * (1 - share) / share)
    chosen = rng.permutation(len(others))[:wanted].tolist()
    return [*images, *marked, *(others[index] for index in chosen)]


def _volumes(surveys: Sequence[Survey], settings: Settings, rng: np.random.Generator) -> list[_Place]:
    looks = rng.random(len(surveys)) < settings.foreground
    return [(case, None, bool(look and surveys[case].marked)) for case, look in enumerate(looks)]


Array = NDArray[Any]


class Batch(NamedTuple):
    """images (B, C, *S) float32; labels (B, R, *S) int64; target (B, L, *S) float32 or None; truth (B, *S) int64.

    A tuple, because that is what data loaders pin and several devices share out.
    """

    images: Tensor
    labels: Tensor
    target: Tensor | None
    truth: Tensor

    def to(self, device: torch.device) -> Batch:
        return self._each(lambda tensor: tensor.to(device, non_blocking=True))

    def part(self, start: int, end: int) -> Batch:
        """The samples from `start` to before `end`."""
        return self._each(lambda tensor: tensor[start:end])

    def _each(self, change: Callable[[Tensor], Tensor]) -> Batch:
        target = None if self.target is None else change(self.target)
        return Batch(change(self.images), change(self.labels), target, change(self.truth))


class Samples(Dataset[CaseArrays]):
    """Draws to samples; a sample is a CaseArrays without the slice axis in 2D."""

    def __init__(self, source: StudySource, settings: Settings, *, vary: bool = True) -> None:
        self._source, self._settings, self._vary = source, settings, vary

    def __getitem__(self, draw: Draw) -> CaseArrays:
        rng = np.random.default_rng(draw.seed)
        arrays = self._source[draw.case]
        if draw.slice is not None:
            number = draw.slice
            arrays = _each(arrays, lambda array: array[..., number, :, :])
        if self._settings.patch:
            arrays = _cut(arrays, self._settings.patch, rng if self._vary else None, marked=draw.marked)
        return _varied(arrays, self._settings, rng) if self._vary else arrays


def join(samples: Sequence[CaseArrays]) -> Batch:
    """One batch; smaller samples are filled up at their ends with zeros that nobody labeled."""
    shape = np.max([sample.truth.shape for sample in samples], axis=0)

    def stacked(arrays: list[Array], outside: float) -> Tensor:
        padded = []
        for array in arrays:
            lead = array.ndim - len(shape)
            pad = [(0, 0)] * lead + [(0, int(w - h)) for w, h in zip(shape, array.shape[lead:], strict=True)]
            padded.append(np.pad(array, pad, constant_values=outside) if any(map(any, pad)) else array)
        return torch.from_numpy(np.stack(padded))

    targets = [sample.target for sample in samples if sample.target is not None]
    return Batch(
        images=stacked([sample.image for sample in samples], 0),
        labels=stacked([sample.labels for sample in samples], UNLABELED).long(),
        target=stacked(list(targets), 0) if targets else None,
        truth=stacked([sample.truth for sample in samples], UNLABELED).long(),
    )


def _each(arrays: CaseArrays, change: Callable[[Array], Array]) -> CaseArrays:
    target = None if arrays.target is None else change(arrays.target)
    return CaseArrays(change(arrays.image), change(arrays.labels), target, change(arrays.truth))


def _cut(arrays: CaseArrays, edge: int, rng: np.random.Generator | None, *, marked: bool) -> CaseArrays:
    """A crop of at most `edge` a side: around a random marked voxel, anywhere, or (no rng) in the middle."""
    shape = np.asarray(arrays.truth.shape)
    size = np.minimum(shape, edge)
    start = (shape - size) // 2
    if rng is not None:
        start = rng.integers(0, shape - size + 1)
        places = np.argwhere(arrays.marked) if marked else np.empty((0, len(shape)))
        if len(places):
            center = places[rng.integers(len(places))] + rng.integers(-(edge // 4), edge // 4 + 1, len(shape))
            start = np.clip(center - size // 2, 0, shape - size)
    box: tuple[Any, ...] = (..., *(slice(int(a), int(a + n)) for a, n in zip(start, size, strict=True)))
    return _each(arrays, lambda array: array[box])


def _varied(arrays: CaseArrays, settings: Settings, rng: np.random.Generator) -> CaseArrays:
    axes = range(-arrays.truth.ndim, 0)
    if settings.flips:
        flipped = [axis for axis in axes if rng.random() < 0.5]
        arrays = _each(arrays, lambda array: np.flip(array, tuple(flipped)))
    if settings.shift:
        offsets = rng.integers(-settings.shift, settings.shift + 1, len(axes)).tolist()
        arrays = _each(arrays, lambda array: np.roll(array, offsets, tuple(axes)))
    if settings.brightness:
        scale, offset = rng.normal(0, settings.brightness, 2).astype(np.float32)
        image = arrays.image * (1 + scale) + offset
        arrays = CaseArrays(image, arrays.labels, arrays.target, arrays.truth)
    return arrays
