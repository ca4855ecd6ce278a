"""What holds for every method and any labels, tried on labels that nobody thought of."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from NoisyLabelSegLib.fusion import METHODS, fuse

EVERY_METHOD = pytest.mark.parametrize("method", METHODS)
SOME = settings(max_examples=25, deadline=None, derandomize=True, phases=[Phase.explicit, Phase.generate])
LABELS = st.tuples(st.integers(1, 5), array_shapes(min_dims=1, max_dims=3, max_side=6)).flatmap(
    lambda size: arrays(np.uint8, (size[0], *size[1]), elements=st.integers(0, 3))
)
ANY_LABELS = array_shapes(min_dims=2, max_dims=4, max_side=4).flatmap(lambda shape: arrays(np.uint8, shape))


@EVERY_METHOD
@SOME
@given(labels=ANY_LABELS)
def test_nothing_is_ever_nan_and_everything_sums_to_one(method, labels):
    fusion = fuse(labels, method)
    np.testing.assert_allclose(fusion.probabilities.sum(axis=0), 1, atol=1e-5)
    np.testing.assert_allclose(fusion.confusion.sum(axis=1), 1, atol=1e-9)
    assert (fusion.confusion >= 0).all()


@EVERY_METHOD
@SOME
@given(seed=st.integers(0, 1000), order=st.permutations(range(4)), classes=st.integers(2, 4))
def test_the_order_of_annotators_does_not_matter(method, seed, order, classes):
    """Real panels: where labels are perfectly symmetric, rounding alone decides which solution an estimation takes."""
    rng = np.random.default_rng(seed)
    truth = np.kron(rng.integers(0, classes, (2, 3, 3)), np.ones((1, 4, 5), int))
    wrong = rng.random((4, *truth.shape)) < np.array([0.05, 0.1, 0.2, 0.3]).reshape(-1, 1, 1, 1)
    labels = np.where(wrong, rng.integers(0, classes, wrong.shape), truth).astype(np.uint8)
    one, other = fuse(labels, method), fuse(labels[order], method)
    np.testing.assert_allclose(one.probabilities, other.probabilities, atol=1e-4)
    np.testing.assert_allclose(one.confusion[order], other.confusion, atol=1e-4)


@pytest.mark.parametrize("method", ["mean", "majority", "hierarchical", "simple"])
@SOME
@given(labels=LABELS)
def test_unanimous_voxels_keep_their_label(method, labels):
    agreed = (labels == labels[0]).all(axis=0)
    np.testing.assert_array_equal(fuse(labels, method).labels[agreed], labels[0][agreed])


@EVERY_METHOD
@SOME
@given(labels=LABELS)
def test_an_annotator_given_twice_counts_as_two(method, labels):
    """Two equal annotators get equal matrices and share one column of the votes."""
    fusion = fuse(np.concatenate([labels, labels[:1]]), method)
    np.testing.assert_allclose(fusion.confusion[0], fusion.confusion[-1], atol=1e-9)


@SOME
@given(labels=LABELS)
def test_an_annotator_given_twice_has_two_votes(labels):
    shares = [(np.concatenate([labels, labels[:1]]) == value).mean(axis=0) for value in range(4)]
    fusion = fuse(np.concatenate([labels, labels[:1]]), "mean", classes=4)
    np.testing.assert_allclose(fusion.probabilities, shares, atol=1e-6)


@EVERY_METHOD
def test_every_method_says_in_how_many_voxels_two_annotators_stand_against_two(method):
    one = np.zeros((1, 30, 30), np.uint8)
    one[:, 10:20, 10:20] = 1
    other = one.copy()
    other[:, 20:24, 10:20] = 1
    assert any("40 voxels" in remark for remark in fuse([one, one, other, other], method).remarks)
    assert not any("40 voxels" in remark for remark in fuse([one, one, one, other], method).remarks)


def test_of_two_annotators_it_is_not_said_that_reliability_decides():
    one, other = np.array([0, 1, 1]), np.array([0, 0, 1])
    said = "In 1 voxel two labels or more have equally many votes, so the votes cannot tell which is right."
    assert said in fuse([one, other]).remarks
    assert said in fuse([one, other, None]).remarks
    assert fuse([one, other, one, other]).remarks[0].endswith("depends on how reliable each annotator seems.")
