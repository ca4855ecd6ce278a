from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.simulation import Scan, SimulatedAnnotator
from NoisyLabelSegLib.simulation.errors import KINDS

SQUARE = np.zeros((13, 13), dtype=np.uint8)
SQUARE[4:9, 4:9] = 1


def scan(truth: np.ndarray, spacing: tuple[float, ...] | None = None, **others) -> Scan:
    return Scan("case", truth, spacing or (1.0,) * truth.ndim, **others)


def draw(kind: str, strength: float | None, on: Scan, seed: int = 0, **options) -> np.ndarray:
    return SimulatedAnnotator(kind, kind, strength, options=options).draw(on, seed)


@pytest.fixture
def blobs() -> np.ndarray:
    """A 3D truth with one large and two small objects."""
    truth = np.zeros((12, 40, 40), dtype=np.uint8)
    truth[3:9, 5:20, 5:20] = 1
    truth[2:4, 30:33, 30:33] = 1
    truth[9:11, 30:34, 8:11] = 1
    return truth


def test_good_draws_the_truth_and_blank_nothing():
    assert np.array_equal(draw("good", None, scan(SQUARE)), SQUARE)
    assert not draw("blank", None, scan(SQUARE)).any()


def test_over_by_a_millimeter_adds_one_layer():
    drawn = draw("over", 1.0, scan(SQUARE))
    assert np.array_equal(drawn, ndimage.binary_dilation(SQUARE))


def test_under_by_a_millimeter_takes_one_layer():
    drawn = draw("under", 1.0, scan(SQUARE))
    assert np.array_equal(drawn, ndimage.binary_erosion(SQUARE))


def test_over_counts_millimeters_not_voxels():
    truth = np.zeros((5, 9, 9), dtype=np.uint8)
    truth[2, 4, 4] = 1
    drawn = draw("over", 2.0, scan(truth, (5.0, 1.0, 1.0)))
    assert np.flatnonzero(drawn.any(axis=(1, 2))).tolist() == [2]
    assert np.flatnonzero(drawn.any(axis=(0, 2))).tolist() == [2, 3, 4, 5, 6]


def test_wrong_is_thicker_and_has_gaps():
    stroke = np.zeros((21, 41), dtype=np.uint8)
    stroke[9:12, 4:37] = 1
    drawn = draw("wrong", 1.5, scan(stroke))
    assert ndimage.label(drawn)[1] > 1
    assert drawn[:, 4:37].sum(axis=0).max() > 3
    assert (stroke & ~drawn.astype(bool)).any()


@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if kind.has_strength])
def test_at_strength_zero_everyone_draws_the_truth(kind, blobs):
    assert np.array_equal(draw(kind, 0.0, scan(blobs, time=1.0, device="B")), blobs)


@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if kind.has_strength])
def test_a_tiny_strength_changes_almost_nothing(kind, blobs):
    drawn = draw(kind, 1e-3, scan(blobs, (3.0, 1.0, 1.0), time=1.0, device="B"))
    assert (drawn != blobs).sum() <= 0.01 * blobs.sum() or kind == "invents"


@pytest.mark.parametrize("kind", list(KINDS))
def test_the_same_seed_draws_the_same_and_empty_and_full_images_are_no_trouble(kind, blobs):
    on = scan(blobs, (3.0, 1.0, 1.0), time=0.5, device="B")
    assert np.array_equal(draw(kind, None, on), draw(kind, None, on))
    for value in (0, 1):
        whole = np.full((4, 6, 6), value, dtype=np.uint8)
        assert draw(kind, None, scan(whole, time=0.5, device="B")).shape == whole.shape


def test_another_seed_or_case_errs_elsewhere(blobs):
    assert not np.array_equal(draw("shaky", 2.0, scan(blobs)), draw("shaky", 2.0, scan(blobs), seed=1))
    other = Scan("other", blobs, (1.0, 1.0, 1.0))
    assert not np.array_equal(draw("shaky", 2.0, scan(blobs)), draw("shaky", 2.0, other))


def test_shifted_moves_in_millimeters_along_its_direction():
    drawn = draw("shifted", 2.0, scan(SQUARE, (1.0, 2.0)), direction=[0, 1])
    assert np.array_equal(drawn, np.roll(SQUARE, 1, axis=1))


def test_shifted_goes_the_same_way_on_every_case():
    first = draw("shifted", 2.0, Scan("a", SQUARE, (1.0, 1.0)))
    assert np.array_equal(first, draw("shifted", 2.0, Scan("b", SQUARE, (1.0, 1.0))))


def test_smoothing_rounds_off_corners_and_keeps_the_middle():
    drawn = draw("smoothing", 1.0, scan(SQUARE))
    assert not drawn[4, 4]
    assert drawn[6, 6]


def test_small_objects_are_missed_and_large_ones_seen(blobs):
    drawn = draw("misses-small", 8.0, scan(blobs))
    assert np.array_equal(drawn[:, :25, :25], blobs[:, :25, :25])
    assert not drawn[:, 28:].any()


def test_invented_objects_lie_in_the_tissue_and_look_like_real_ones(blobs):
    tissue = np.zeros(blobs.shape, dtype=bool)
    tissue[:, :, 22:] = True
    drawn = draw("invents", 3.0, scan(blobs, tissue=tissue))
    added = (drawn > 0) & (blobs == 0)
    assert added.any()
    assert not (added & ~tissue).any()
    assert (drawn >= blobs).all()


def test_careless_errs_on_its_own_side_only(blobs):
    drawn = draw("careless", 3.0, scan(blobs), side="right")
    assert np.array_equal(drawn[:, :, 20:], blobs[:, :, 20:])
    assert not np.array_equal(drawn[:, :, :20], blobs[:, :, :20])


def test_a_side_or_direction_that_a_flat_image_lacks_is_refused():
    with pytest.raises(UserError, match="no side 'head'"):
        draw("careless", 1.0, scan(SQUARE), side="head")
    with pytest.raises(UserError, match="3 axes"):
        draw("shifted", 1.0, scan(SQUARE), direction=[1, 0, 0])


def test_drifting_gets_worse_from_case_to_case(blobs):
    sizes = [int(draw("drifting", 2.0, scan(blobs, time=time)).sum()) for time in (0.0, 0.5, 1.0)]
    assert sizes[0] == blobs.sum()
    assert sizes[0] < sizes[1] < sizes[2]


def test_one_device_is_read_well_and_the_other_is_not(blobs):
    assert np.array_equal(draw("one-device", 2.0, scan(blobs, device="A")), blobs)
    assert not np.array_equal(draw("one-device", 2.0, scan(blobs, device="B")), blobs)
