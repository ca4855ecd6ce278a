"""Which samples an epoch holds, and that nothing but seed and epoch decides it."""

from __future__ import annotations

import numpy as np

from NoisyLabelSegLib.fusion.table import VoteTable
from NoisyLabelSegLib.training import Settings
from NoisyLabelSegLib.training.samples import batches, epoch_draws
from NoisyLabelSegLib.training.source import Survey

NO_VOTES = VoteTable(np.zeros((1, 1), dtype=np.int16), np.zeros(1))
IMAGES = [Survey(1, (), NO_VOTES), Survey(1, (0,), NO_VOTES), Survey(1, (0,), NO_VOTES)]
VOLUMES = [Survey(10, (3, 4), NO_VOTES), Survey(10, (), NO_VOTES)]


def test_every_2d_image_comes_once_marked_or_not() -> None:
    assert sorted(draw.case for draw in epoch_draws(IMAGES, Settings(), epoch=0)) == [0, 1, 2]


def test_2d_images_are_looked_at_anywhere_as_often_as_the_share_leaves() -> None:
    images = [Survey(1, (0,), NO_VOTES)] * 400
    assert 0.6 < np.mean([draw.marked for draw in epoch_draws(images, Settings(foreground=0.7), epoch=0)]) < 0.8


def test_marked_slices_come_once_and_have_their_share() -> None:
    draws = epoch_draws(VOLUMES, Settings(foreground=0.5), epoch=0)
    assert sorted((draw.case, draw.slice) for draw in draws if draw.marked) == [(0, 3), (0, 4)]
    assert sum(not draw.marked for draw in draws) == 2


def test_the_same_seed_and_epoch_give_the_same_draws_and_others_do_not() -> None:
    first = epoch_draws(VOLUMES, Settings(seed=1), epoch=3)
    assert first == epoch_draws(VOLUMES, Settings(seed=1), epoch=3)
    assert first != epoch_draws(VOLUMES, Settings(seed=1), epoch=4)
    assert first != epoch_draws(VOLUMES, Settings(seed=2), epoch=3)


def test_the_number_of_samples_can_be_set() -> None:
    assert len(epoch_draws(IMAGES, Settings(samples=7), epoch=0)) == 7


def test_volumes_without_marks_are_not_searched_for_any() -> None:
    draws = epoch_draws(VOLUMES, Settings(dimensions=3, foreground=1.0), epoch=0)
    assert {draw.case: draw.marked for draw in draws} == {0: True, 1: False}


def test_processes_share_every_batch_and_none_goes_without() -> None:
    draws = epoch_draws(IMAGES, Settings(samples=5), epoch=0)
    alone = list(batches(draws, 2))
    shares = [list(batches(draws, 2, rank=rank, processes=2)) for rank in (0, 1)]
    assert [len(batch) for batch in alone] == [2, 2, 1]
    assert [[first[0], second[0]] for first, second in zip(*shares, strict=True)][:2] == alone[:2]
    assert shares[0][2] == shares[1][2] == alone[2]
