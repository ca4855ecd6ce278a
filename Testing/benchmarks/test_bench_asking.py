"""The trial of whom to ask next."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import bench_asking as asking


@pytest.mark.parametrize("seed", [0, 1])
def test_the_ranking_gets_to_a_good_truth_with_fewer_labels(seed: int) -> None:
    cases = [asking._simulate(seed, number) for number in range(asking.CASES)]
    curves = {
        name: asking._curve(cases, choose, np.random.default_rng(seed)) for name, choose in asking.STRATEGIES.items()
    }
    assert len({len(curve) for curve in curves.values()}) == 1
    assert len({curve[-1] for curve in curves.values()}) == 1  # all labels give the same truth, however asked for
    needed = {name: int(np.argmax(np.array(curve) >= 0.85)) for name, curve in curves.items()}
    assert 0 < needed["ranking"] < 0.7 * needed["random"]
    assert needed["ranking"] < needed["in turn"]
