"""Whom to ask next: information by hand, and rankings that common sense would give."""

from __future__ import annotations

import numpy as np
import pytest

from NoisyLabelSegLib.review import Doubt, suggest
from NoisyLabelSegLib.review.active.suggestions import (
    AnnotatorModels,
    entropy,
    fill_blank_doubts,
    information,
    vote_doubt,
)

PERFECT, COIN, GOOD = np.eye(2), np.full((2, 2), 0.5), np.array([[0.9, 0.1], [0.1, 0.9]])
NAMES = ("perfect", "coin", "good")


def panel(*matrices: np.ndarray) -> AnnotatorModels:
    return AnnotatorModels(np.stack(matrices), np.array([0.5, 0.5]))


def test_entropy_in_bits() -> None:
    np.testing.assert_allclose(entropy(np.array([[0.5, 1.0, 0.25], [0.5, 0.0, 0.75]])), [1, 0, 0.8112781], rtol=1e-6)


def test_a_perfect_annotator_settles_everything_and_a_coin_nothing() -> None:
    unsure = np.array([[0.5, 0.2], [0.5, 0.8]])
    np.testing.assert_allclose(information(unsure, PERFECT), entropy(unsure))
    np.testing.assert_allclose(information(unsure, COIN), [0, 0], atol=1e-12)
    assert information(unsure, GOOD)[0] == pytest.approx(1 - 0.4689956, rel=1e-6)


def test_one_who_always_says_background_tells_nothing() -> None:
    blank = np.array([[1.0, 1.0], [0.0, 0.0]])
    assert information(np.array([[0.3], [0.7]]), blank)[0] == 0


def test_the_doubtful_case_and_the_reliable_annotator_come_first() -> None:
    sure = Doubt("sure", np.array([[0.99], [0.01]]), np.array([100.0]), ())
    unsure = Doubt("unsure", np.array([[0.5], [0.5]]), np.array([100.0]), ())
    ranked = suggest([sure, unsure], panel(PERFECT, COIN, GOOD), NAMES)
    assert [(item.case, item.annotator) for item in ranked[:2]] == [("unsure", "perfect"), ("unsure", "good")]
    assert ranked[0].settles == pytest.approx(ranked[0].doubt)
    assert ranked[0].share == pytest.approx(1)


def test_costs_change_whom_to_ask() -> None:
    unsure = Doubt("c", np.array([[0.5], [0.5]]), np.array([100.0]), ())
    ranked = suggest([unsure], panel(PERFECT, COIN, GOOD), NAMES, {"perfect": 5})
    assert [item.annotator for item in ranked] == ["good", "perfect", "coin"]


def test_second_looks_come_after_all_first_ones() -> None:
    unsure = Doubt("c", np.array([[0.5], [0.5]]), np.array([100.0]), ("perfect",))
    ranked = suggest([unsure], panel(PERFECT, COIN, GOOD), NAMES)
    assert [(item.annotator, item.again) for item in ranked] == [("good", False), ("coin", False), ("perfect", True)]


def test_the_posterior_multiplies_what_everyone_said() -> None:
    votes = np.array([[1, 1], [1, 0], [-1, 1], [-1, -1]])
    likely = panel(GOOD, GOOD).posterior(votes)
    np.testing.assert_allclose(likely[1], [0.81 / 0.82, 0.5, 0.9, 0.5])


def test_more_disagreement_leaves_more_doubt() -> None:
    both = np.array([[0, 0], [1, 1], [0, 1]], dtype=np.int16)
    agreed = vote_doubt("a", both, np.array([1000.0, 90, 10]), panel(GOOD, GOOD), ("x", "y"))
    split = vote_doubt("b", both, np.array([1000.0, 10, 90]), panel(GOOD, GOOD), ("x", "y"))
    assert split.bits > 2 * agreed.bits


def test_background_far_away_is_in_no_doubt() -> None:
    votes = np.array([[0, 0], [1, 0]], dtype=np.int16)
    small, large = (
        vote_doubt("c", votes, np.array([background, 50.0]), panel(GOOD, GOOD), ("x", "y"))
        for background in (100.0, 1e8)
    )
    assert small.bits == pytest.approx(large.bits)


def test_a_case_nobody_labeled_is_expected_to_be_like_the_others() -> None:
    known = vote_doubt("a", np.array([[0], [1]]), np.array([60.0, 40.0]), panel(GOOD), ("x",))
    blank = vote_doubt("b", np.array([[-1]]), np.array([1.0]), panel(GOOD), ("x",))
    filled = fill_blank_doubts([known, blank])[1]
    assert filled.bits == pytest.approx(80)  # a bit for each of 40 marked voxels and as many beside them
    assert filled.labeled_by == ()


def test_little_evidence_keeps_an_annotator_near_the_panel() -> None:
    counts = np.array([[[900.0, 100], [100, 900]], [[1, 0], [0, 1]]])
    known = AnnotatorModels.from_counts(counts, np.array([500.0, 500]))
    assert known.confusion[0, 1, 1] == pytest.approx(0.9, abs=0.01)
    assert known.confusion[1, 1, 1] == pytest.approx(0.9, abs=0.02)
    np.testing.assert_allclose(known.confusion.sum(axis=1), 1)


def test_no_evidence_at_all_is_not_a_number_crash() -> None:
    known = AnnotatorModels.from_counts(np.zeros((2, 3, 3)), np.zeros(3))
    assert np.isfinite(known.confusion).all()
    np.testing.assert_allclose(known.prior, 1 / 3)
