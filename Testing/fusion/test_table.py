"""Vote tables and pooling them, by hand."""

from __future__ import annotations

import numpy as np

from NoisyLabelSegLib.fusion import Votes, fuse
from NoisyLabelSegLib.fusion.methods import METHODS
from NoisyLabelSegLib.fusion.pool import Pool
from NoisyLabelSegLib.fusion.table import VoteTable


def _rows(table: VoteTable) -> dict[tuple[int, ...], float]:
    return {tuple(votes): count for votes, count in zip(table.votes.tolist(), table.counts, strict=True)}


def test_a_table_counts_the_patterns_that_occur():
    table = Votes(np.array([[0, 0, 1, 2], [0, 0, 1, 0]], np.uint8)).table
    assert _rows(table) == {(0, 0): 2, (1, 1): 1, (2, 0): 1}
    np.testing.assert_array_equal(table.values, [0, 1, 2])
    np.testing.assert_array_equal(table.is_disputed, (table.votes == [2, 0]).all(axis=1))
    np.testing.assert_array_equal(table.is_background, (table.votes == 0).all(axis=1))


def test_tables_add_up_and_a_missing_annotator_has_rows_of_its_own():
    first = Votes([np.array([0, 1, 1], np.uint8), np.array([0, 1, 0], np.uint8)]).table
    second = Votes([np.array([1, 1, 0, 0], np.uint8), None]).table
    pooled = VoteTable.pooled([first, second, first])
    assert _rows(pooled) == {(0, 0): 2, (1, 1): 2, (1, 0): 2, (1, -1): 2, (0, -1): 2}
    np.testing.assert_array_equal(pooled.votes[0], first.votes[0])


def test_confusion_counts_say_against_true():
    table = Votes(np.array([[0, 0, 1, 1], [0, 1, 1, 1]], np.uint8)).table
    truth = (table.votes[:, :1] == [0, 1]).astype(float)
    np.testing.assert_array_equal(table.confusion_counts(truth), [[[2, 0], [0, 2]], [[1, 0], [1, 2]]])


def test_many_rows_are_kept_sparse_and_give_the_same_answer(monkeypatch):
    labels = np.random.default_rng(1).integers(0, 4, (5, 9, 9, 9)).astype(np.uint8)
    dense = fuse(labels)
    monkeypatch.setattr("NoisyLabelSegLib.fusion.table._LARGEST_DENSE", 0)
    sparse = fuse(labels)
    np.testing.assert_array_equal(dense.labels, sparse.labels)
    np.testing.assert_allclose(dense.confusion, sparse.confusion, atol=1e-9)


def test_a_pool_of_one_case_is_that_case():
    labels = np.random.default_rng(1).integers(0, 3, (4, 6, 7, 8)).astype(np.uint8)
    votes, method = Votes(labels), METHODS["staple"]
    alone = votes.fuse("staple")
    pooled = votes.fused_as(Pool.solve(VoteTable.pooled([votes.table]), method, {}).part(votes.table))
    np.testing.assert_array_equal(alone.labels, pooled.labels)
    np.testing.assert_array_equal(alone.probabilities, pooled.probabilities)
    np.testing.assert_array_equal(alone.confusion, pooled.confusion)


def test_pooled_cases_share_what_is_known_of_an_annotator():
    """In the second case two annotators disagree alone; the first has shown which of them errs."""
    rng = np.random.default_rng(0)
    truth = np.zeros((20, 20), np.uint8)
    truth[5:15, 5:15] = 1
    careless = truth ^ (rng.random(truth.shape) < 0.3)
    first = Votes([truth, careless, truth])
    second = Votes([truth, careless, None])
    pool = Pool.solve(VoteTable.pooled([first.table, second.table]), METHODS["staple"], {})
    np.testing.assert_array_equal(second.fused_as(pool.part(second.table)).labels, truth)
    assert (second.fuse("staple").labels != truth).any()
