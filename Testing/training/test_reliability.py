"""What the labels alone tell about annotators: who is silent about a class, and whom to believe."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from NoisyLabelSegLib.fusion import Votes
from NoisyLabelSegLib.fusion.table import VoteTable
from NoisyLabelSegLib.training.reliability import (
    SILENT_VOICE,
    absent_annotators,
    has_single_labels,
    silent_annotators,
    trust_in_annotators,
)


def votes_of(*labels: Sequence[int] | None) -> VoteTable:
    return Votes([None if row is None else np.array(row, dtype=np.uint8) for row in labels], classes=4).table


def trusted(*cases: VoteTable) -> NDArray[np.float32]:
    return trust_in_annotators(VoteTable.pooled(cases), silent_annotators(cases, classes=2))


def test_who_never_uses_a_class_that_others_do_is_silent_about_it() -> None:
    first = votes_of([0, 1, 0], [0, 0, 0], None)
    second = votes_of([0, 2, 0], [0, 1, 0], None)
    silent = silent_annotators([first, second], classes=4)
    assert np.argwhere(silent).tolist() == [[1, 2]]


@pytest.mark.parametrize(("scans", "expected"), [(1, []), (2, []), (5, [[1, 1]])])
def test_who_saw_few_scans_may_have_met_none_with_a_class(scans: int, expected: list[list[int]]) -> None:
    with_class, without = votes_of([0, 1, 0], None), votes_of([0, 0, 0], None)
    silent = silent_annotators([with_class, without] * 3 + [votes_of(None, [0, 0, 0])] * scans, classes=4)
    assert np.argwhere(silent).tolist() == expected


def test_who_labelled_no_case_is_absent() -> None:
    cases = [votes_of([0, 1], None, None), votes_of(None, None, [0, 0])]
    assert absent_annotators(VoteTable.pooled(cases)).tolist() == [False, True, False]


def thick(width: int) -> list[int]:
    """A stroke of this half-width in the middle of a line."""
    return [int(abs(place - 20) < width) for place in range(40)]


def test_who_errs_less_than_the_vote_of_all_is_believed_where_the_votes_are_equal() -> None:
    good, over, under = thick(6), thick(9), thick(3)
    wrong = [int(said and place % 5 > 0) for place, said in enumerate(over)]  # thick too, and broken
    trust = trusted(votes_of(good, over, under, wrong))
    assert trust.argmax() == 0
    assert trust[0] > trust[1:].sum(), "two against two goes to the good one's side"
    assert trust.mean() == pytest.approx(1)


def test_the_order_of_annotators_does_not_matter() -> None:
    rows = [thick(6), thick(9), thick(3), thick(7)]
    forwards = trusted(votes_of(*rows))
    backwards = trusted(votes_of(*rows[::-1]))
    np.testing.assert_allclose(forwards, backwards[::-1], rtol=1e-6)


def test_whoever_was_never_compared_is_not_believed_most() -> None:
    first, second = votes_of(thick(6), thick(9), thick(3), None), votes_of(None, None, None, thick(6))
    trust = trusted(first, second)
    assert trust[3] == pytest.approx(trust[:3].mean())


def test_labels_are_single_where_one_annotator_alone_looked() -> None:
    alone, together = votes_of([0, 1], None), votes_of([0, 1], [1, 1])
    assert has_single_labels(alone)
    assert not has_single_labels(together)


def test_annotators_who_agree_are_believed_alike() -> None:
    np.testing.assert_allclose(trusted(votes_of(thick(4), thick(4), thick(4))), 1)


def test_somebody_who_never_marks_anything_does_not_outvote_those_who_do() -> None:
    trust = trusted(votes_of(thick(6), thick(7), [0] * 40, [0] * 40))
    assert min(trust[:2]) > 5 * max(trust[2:])


def test_without_comparison_everybody_counts_the_same_but_the_silent() -> None:
    alone = [votes_of(thick(5), None), votes_of(None, [0] * 40)]
    trust = trusted(*alone)
    np.testing.assert_allclose(trust, [1, SILENT_VOICE])
