"""ICC against pingouin, limits of agreement against hand-computed cases."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pingouin
import pytest

from NoisyLabelSegLib.metrics.reliability import MeanSquares, bland_altman, icc, loam, repeatability


@pytest.mark.parametrize(("cases", "readers", "shift"), [(6, 2, 0.0), (30, 4, 2.0), (60, 5, 0.3), (2, 3, 1.0)])
def test_icc_and_its_interval_are_those_of_pingouin(cases: int, readers: int, shift: float) -> None:
    random = np.random.default_rng(cases)
    values = random.normal(10, 3, (cases, 1)) + shift * np.arange(readers) + random.normal(0, 1, (cases, readers))
    rows = [(case, reader, value) for (case, reader), value in np.ndenumerate(values)]
    pingouin.options["round.column.CI95"] = None
    pingouin.options["round.column.CI95%"] = None
    table = pingouin.intraclass_corr(pd.DataFrame(rows, columns=["case", "reader", "value"]), "case", "reader", "value")
    table = table.set_index("Type")
    found = icc(values)
    for kind, figure in (("ICC(A,1)", found.icc_2_1), ("ICC(C,1)", found.icc_3_1)):
        assert figure.value == pytest.approx(table.loc[kind, "ICC"], abs=1e-9)
        expected = next(table.loc[kind, name] for name in table.columns if name.startswith("CI95"))
        assert [figure.low, figure.high] == pytest.approx(list(expected), abs=1e-6)


def test_icc_exists_where_readers_differ_far_more_than_cases() -> None:
    found = icc(np.array([[100.0, 20.0, 60.0], [101.0, 20.0, 60.0], [100.0, 20.0, 61.0]])).icc_2_1
    assert abs(found.value) < 0.01
    assert found.low <= found.value <= found.high


def test_readers_who_contradict_each_other_have_no_icc_of_agreement() -> None:
    assert math.isnan(icc(np.array([[1.0, 0.0], [0.0, 1.0]])).icc_2_1.value)


def test_icc_of_shrout_and_fleiss() -> None:
    values = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]])
    assert icc(values).icc_2_1.value == pytest.approx(0.2898, abs=1e-4)
    assert icc(values).icc_3_1.value == pytest.approx(0.7148, abs=1e-4)


def test_readers_who_always_agree_have_an_icc_of_one() -> None:
    found = icc(np.array([[1.0, 1.0], [2.0, 2.0], [5.0, 5.0]]))
    assert (found.icc_2_1.value, found.icc_2_1.low, found.icc_3_1.value) == (1, 1, 1)


def test_a_constant_difference_counts_against_agreement_but_not_against_consistency() -> None:
    found = icc(np.array([[1.0, 2.0], [2.0, 3.0], [5.0, 6.0]]))
    assert found.icc_3_1.value == 1
    assert found.icc_2_1.value == pytest.approx(8.666666 / (8.666666 + 2 / 3 * 1.5), abs=1e-6)


@pytest.mark.parametrize("values", [np.zeros((5, 3)), np.array([[1.0, 2.0]]), np.array([[1.0], [2.0]])])
def test_icc_does_not_exist_without_cases_readers_or_variation(values: np.ndarray) -> None:
    assert math.isnan(icc(values).icc_2_1.value)
    assert math.isnan(icc(values).icc_3_1.value)


def test_loam_is_what_its_variance_components_say() -> None:
    values = np.random.default_rng(1).normal(0, 1, (20, 4)) + np.arange(4) + 5 * np.arange(20)[:, None]
    squares = MeanSquares.of(values)
    reader = (squares.between_readers - squares.residual) / 20
    assert loam(values) == pytest.approx(1.959964 * math.sqrt(3 / 4 * (reader + squares.residual)), abs=1e-6)


def test_loam_of_two_readers_is_half_of_the_width_around_zero() -> None:
    assert loam(np.array([[0.0, 2.0], [5.0, 3.0]])) == pytest.approx(1.959964, abs=1e-6)
    assert math.isnan(loam(np.array([[1.0], [2.0]])))


def test_bland_altman_by_hand() -> None:
    found = bland_altman([2.0, 4.0, math.nan, 6.0, 8.0])
    assert (found.cases, found.bias.value) == (4, 5.0)
    assert found.spread == pytest.approx(math.sqrt(20 / 3))
    assert found.upper.value == pytest.approx(5 + 1.959964 * math.sqrt(20 / 3), abs=1e-5)
    assert found.bias.high - found.bias.value == pytest.approx(3.182446 * math.sqrt(20 / 3) / 2, abs=1e-5)
    error = 3.182446 * math.sqrt(20 / 3) * math.sqrt(1 / 4 + 1.959964**2 / 6)
    assert found.lower.value - found.lower.low == pytest.approx(error, abs=1e-4)


def test_one_case_has_a_difference_and_no_limits() -> None:
    found = bland_altman([3.0])
    assert found.bias.value == 3
    assert math.isnan(found.bias.low)
    assert math.isnan(found.upper.value)


def test_repeatability_pools_the_variance_within_cases() -> None:
    assert repeatability([[1, 3], [5, 5, 5], [7]]) == pytest.approx(1.959964 * math.sqrt(2 * 2 / 3), abs=1e-5)
    assert math.isnan(repeatability([[1], [2]]))
