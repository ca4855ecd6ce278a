"""Images made of numbers by a table, anew and in place."""

from __future__ import annotations

import numpy as np
import pytest

from NoisyLabelSegLib.fusion.packing import Packed, pack

SMALL, LARGE = (5, 9), (80, 90, 104)
"""Large images are taken two voxels at a time."""


def _packed(shape: tuple[int, ...], annotators: int = 3) -> Packed:
    """Numbers that come in patches, most of them 0, with every number somewhere."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, (annotators, *shape)).astype(np.uint8)
    labels[:, np.cumsum(rng.random(shape) < 0.1).reshape(shape) % 4 > 0] = 0
    return pack(list(labels), [None] * annotators)


def _numbers(packed: Packed) -> np.ndarray:
    return packed.spread(np.arange(len(packed.counts)))


@pytest.mark.parametrize("shape", [SMALL, LARGE])
@pytest.mark.parametrize("background", [0, 9])
def test_every_voxel_gets_the_entry_of_its_number(shape, background):
    packed = _packed(shape)
    table = np.array([background, 7, 6, 5, 4, 3, 2, 1], np.uint8)
    np.testing.assert_array_equal(packed.spread(table), table[_numbers(packed)])


@pytest.mark.parametrize(("shape", "rows"), [(SMALL, slice(1, 4)), (SMALL, slice(3, 5)), (LARGE, slice(7, 30))])
def test_some_rows_are_those_of_the_whole_image(shape, rows):
    packed = _packed(shape)
    table = np.linspace(0.2, 1, 8, dtype=np.float32)
    np.testing.assert_array_equal(packed.spread_rows(table, rows), packed.spread(table)[rows])


@pytest.mark.parametrize(("shape", "annotators"), [(SMALL, 3), (LARGE, 3), (LARGE, 8)])
def test_numbers_are_counted_over_the_whole_image(shape, annotators):
    packed = _packed(shape, annotators)
    np.testing.assert_array_equal(np.bincount(_numbers(packed).ravel(), minlength=len(packed.counts)), packed.counts)


@pytest.mark.parametrize(("shape", "annotators"), [(SMALL, 3), (LARGE, 3), (LARGE, 8), (LARGE, 9)])
@pytest.mark.parametrize("changed", [[], [1], [3, 6], [0], [0, 7], [2, 4, 5, 7], range(1, 8)])
def test_an_image_is_rewritten_in_place_as_if_made_anew(shape, annotators, changed):
    packed = _packed(shape, annotators)
    before = (np.arange(len(packed.counts)) % 2).astype(np.uint8)
    after = before.copy()
    after[changed] += 2
    image = packed.spread(before)
    packed.rewrite(image, after, before)
    np.testing.assert_array_equal(image, after[_numbers(packed)])


def test_of_a_large_image_only_words_with_a_changed_number_are_written():
    packed = _packed(LARGE)
    assert len(packed.words) < LARGE[0] * LARGE[1] * LARGE[2] // 8
    before = np.zeros(8, np.uint8)
    after = before.copy()
    after[5] = 1
    image = np.full(LARGE, 77, np.uint8)
    packed.rewrite(image, after, before)
    has_five, written = (mask.reshape(-1, 8).any(axis=1) for mask in (_numbers(packed) == 5, image != 77))
    np.testing.assert_array_equal(written, has_five)
