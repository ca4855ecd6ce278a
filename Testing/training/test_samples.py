"""Samples: where they are cut, that images and labels move together, and how sizes are joined."""

from __future__ import annotations

import numpy as np
import pytest

from NoisyLabelSegLib.training import Settings
from NoisyLabelSegLib.training.samples import Draw, Samples, join
from NoisyLabelSegLib.training.source import UNLABELED, CaseArrays


def arrays(*shape: int) -> CaseArrays:
    """A case whose image, labels and truth are the same picture: one marked voxel near the end."""
    picture = np.zeros(shape, dtype=np.int16)
    picture[tuple(n - 2 for n in shape)] = 1
    return CaseArrays(picture[None].astype(np.float32), picture[None], None, picture)


@pytest.mark.parametrize("seed", range(5))
def test_image_labels_and_truth_are_varied_together(seed: int) -> None:
    samples = Samples([arrays(1, 9, 7)], Settings(shift=2, brightness=0.0))  # type: ignore[arg-type]
    sample = samples[Draw(0, 0, True, (seed,))]
    np.testing.assert_array_equal(sample.image[0], sample.truth)
    np.testing.assert_array_equal(sample.labels[0], sample.truth)


def test_a_marked_patch_holds_a_mark_and_is_cut_to_size() -> None:
    samples = Samples([arrays(20, 30, 40)], Settings(dimensions=3, patch=8))  # type: ignore[arg-type]
    for seed in range(5):
        sample = samples[Draw(0, None, True, (seed,))]
        assert sample.truth.shape == (8, 8, 8)
        assert sample.truth.sum() == 1


def test_without_variation_a_sample_is_always_the_same() -> None:
    samples = Samples([arrays(1, 20, 20)], Settings(patch=8), vary=False)  # type: ignore[arg-type]
    np.testing.assert_array_equal(samples[Draw(0, 0, True, (1,))].image, samples[Draw(0, 0, True, (2,))].image)


def test_samples_of_different_size_are_filled_up_with_pixels_nobody_labeled() -> None:
    small, large = arrays(2, 3), arrays(4, 3)
    batch = join([small, large])
    assert batch.images.shape == (2, 1, 4, 3)
    assert (batch.labels[0, 0, 2:] == UNLABELED).all()
    assert (batch.labels[0, 0, :2] >= 0).all()
    assert (batch.labels[1] >= 0).all()
