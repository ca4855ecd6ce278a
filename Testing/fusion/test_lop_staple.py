"""LOP STAPLE by hand, and that it is STAPLE with equal weights."""

from __future__ import annotations

import numpy as np
import pytest

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion import fuse


def test_weights_of_one_give_staple():
    labels = np.random.default_rng(4).integers(0, 3, (4, 6, 7, 8)).astype(np.uint8)
    labels[1:3] = labels[0]
    pooled, plain = fuse(labels, "lop-staple", weights=[1, 1, 1, 1]), fuse(labels, "staple")
    np.testing.assert_array_equal(pooled.labels, plain.labels)
    np.testing.assert_allclose(pooled.probabilities, plain.probabilities, atol=1e-6)


@pytest.mark.parametrize("weight", [1.0, 0.5, 0.0])
def test_a_weight_is_the_power_of_the_annotators_factor(weight):
    """Ten voxels of either class by the vote; everybody errs in one of each: 0.9 and 0.1 in every matrix, prior 1/2.

    In the first voxel annotators 1 and 2 say 1 and 0, which cancels, and annotator 3 says 1: the odds are 9^weight.
    """
    one = [1, 0, 1, 0, 1, 0] + [1] * 7 + [0] * 7
    two = [0, 1, 1, 1, 0, 0] + [1] * 7 + [0] * 7
    three = [1, 1, 0, 0, 0, 1] + [1] * 7 + [0] * 7
    fusion = fuse([one, two, three], "lop-staple", weights=[1, 1, weight], max_iterations=1, background="itk")
    assert fusion.probability(1)[0] == pytest.approx(9**weight / (1 + 9**weight))


@pytest.mark.parametrize("weights", [[1, 1], [1, -1, 1], [0, 0, 0]])
def test_weights_that_do_not_fit_are_refused(weights):
    with pytest.raises(UserError, match="weights do not fit"):
        fuse([[0, 1], [1, 1], [0, 0]], "lop-staple", weights=weights)
