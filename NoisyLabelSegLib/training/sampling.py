"""Which sample comes when, as a pure function of seed and epoch: nothing to save, nothing that depends on workers.

A sample's own random numbers (where it is cut, how it is flipped) come from the seed that it carries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from NoisyLabelSegLib.training.settings import Settings
from NoisyLabelSegLib.training.source import Survey


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
