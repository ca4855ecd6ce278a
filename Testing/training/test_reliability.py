"""What the labels alone tell about annotators: classes they never use, and their reliability weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from NoisyLabelSegLib.fusion import Votes
from NoisyLabelSegLib.fusion.table import VoteTable
from NoisyLabelSegLib.training.reliability import (
    UNUSED_CLASS_WEIGHT,
    LabelSummary,
    absent_annotators,
    has_single_labels,
    unused_classes,
)


def votes_of(*labels: Sequence[int] | None) -> VoteTable:
    return Votes([None if row is None else np.array(row, dtype=np.uint8) for row in labels], classes=4).table


def weights_of(*cases: VoteTable) -> NDArray[np.float32]:
    return LabelSummary.of(cases, classes=2).weights


def test_a_class_that_others_use_and_an_annotator_never_does_is_unused() -> None:
    first = votes_of([0, 1, 0], [0, 0, 0], None)
    second = votes_of([0, 2, 0], [0, 1, 0], None)
    unused = unused_classes([first, second], classes=4)
    assert np.argwhere(unused).tolist() == [[1, 2]]


@pytest.mark.parametrize(("scans", "expected"), [(1, []), (2, []), (5, [[1, 1]])])
def test_an_annotator_of_few_scans_may_have_had_none_with_a_class(scans: int, expected: list[list[int]]) -> None:
    with_class, without = votes_of([0, 1, 0], None), votes_of([0, 0, 0], None)
    unused = unused_classes([with_class, without] * 3 + [votes_of(None, [0, 0, 0])] * scans, classes=4)
    assert np.argwhere(unused).tolist() == expected


def test_who_labeled_no_case_is_absent() -> None:
    cases = [votes_of([0, 1], None, None), votes_of(None, None, [0, 0])]
    assert absent_annotators(VoteTable.pooled(cases)).tolist() == [False, True, False]


def thick(width: int) -> list[int]:
    """A stroke of this half-width in the middle of a line."""
    return [int(abs(place - 20) < width) for place in range(40)]


def test_who_errs_less_than_the_vote_of_all_decides_where_the_votes_are_equal() -> None:
    good, over, under = thick(6), thick(9), thick(3)
    wrong = [int(said and place % 5 > 0) for place, said in enumerate(over)]  # thick too, and broken
    weights = weights_of(votes_of(good, over, under, wrong))
    assert weights.argmax() == 0
    assert weights[0] + weights[2] > weights[1] + weights[3], "two against two goes to the good one's side"
    assert weights[0] < weights[1:].sum(), "but nobody has more than half"
    assert weights.mean() == pytest.approx(1)


def test_the_order_of_annotators_does_not_matter() -> None:
    rows = [thick(6), thick(9), thick(3), thick(7)]
    forwards = weights_of(votes_of(*rows))
    backwards = weights_of(votes_of(*rows[::-1]))
    np.testing.assert_allclose(forwards, backwards[::-1], rtol=1e-6)


def test_an_annotator_who_was_never_compared_has_the_mean_weight() -> None:
    first, second = votes_of(thick(6), thick(9), thick(3), None), votes_of(None, None, None, thick(6))
    weights = weights_of(first, second)
    assert weights[3] == pytest.approx(weights[:3].mean())


def test_labels_are_single_where_one_annotator_alone_labeled() -> None:
    alone, together = votes_of([0, 1], None), votes_of([0, 1], [1, 1])
    assert has_single_labels(alone)
    assert not has_single_labels(together)


def test_annotators_who_agree_have_equal_weights() -> None:
    np.testing.assert_allclose(weights_of(votes_of(thick(4), thick(4), thick(4))), 1)


def test_somebody_who_never_marks_anything_does_not_outvote_those_who_do() -> None:
    weights = weights_of(votes_of(thick(6), thick(7), [0] * 40, [0] * 40))
    assert min(weights[:2]) > 5 * max(weights[2:])


def test_without_comparison_weights_are_equal_but_for_annotators_who_never_use_a_class() -> None:
    alone = [votes_of(thick(5), None), votes_of(None, [0] * 40)]
    weights = weights_of(*alone)
    np.testing.assert_allclose(weights, [1, UNUSED_CLASS_WEIGHT])
