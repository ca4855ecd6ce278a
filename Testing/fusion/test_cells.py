"""Cells of voxels, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.cells import CellField, CellVotes, Grid


def test_the_last_cells_of_an_axis_may_be_smaller():
    grid = Grid.over((5, 7), (2, 4))
    assert grid.cells == (3, 2)
    np.testing.assert_array_equal(grid.volumes(), [8, 6, 8, 6, 4, 3])


def test_every_voxel_of_a_word_is_found_in_its_cell():
    grid = Grid.over((4, 6), (2, 3))
    expected = np.kron([[0, 1], [2, 3]], np.ones((2, 3), int)).ravel()
    np.testing.assert_array_equal(grid.cell_of_words(np.arange(3)), expected)


def test_evidence_counts_half_with_every_step_between_cells():
    near = Grid.over((1, 10), (1, 2)).neighbors(np.array([0, 1, 2, 4]), reach=2).toarray()
    np.testing.assert_array_equal(near, [[1, 0.5, 0.25, 0], [0.5, 1, 0.5, 0], [0.25, 0.5, 1, 0.25], [0, 0, 0.25, 1]])


def test_the_rest_of_a_cell_counts_as_background():
    grid = Grid.over((4, 8), (2, 4))
    rows = np.array([1, 1, 0, 0, 0, 2, 0, 0])  # the first word: cells 0 (four voxels) and 1 (four voxels)
    votes = CellVotes.count(grid, np.array([0]), rows, height=3)
    found = {(int(votes.cells[c]), int(r)): n for c, r, n in zip(votes.cell, votes.row, votes.counts, strict=True)}
    assert found == {(0, 0): 6, (0, 1): 2, (1, 0): 7, (1, 2): 1}


def test_a_field_is_linear_between_the_centers_of_cells():
    field = CellField(Grid.over((8,), 4), np.zeros((2, 1, 1, 1)))
    np.testing.assert_allclose(field.spread(np.array([0.0, 4.0])), [0, 0, 0.5, 1.5, 2.5, 3.5, 4, 4])


@pytest.mark.parametrize("edges", [(2, 2, 2), 0, (3, -1)])
def test_edges_that_do_not_fit_are_refused(edges):
    with pytest.raises(UserError, match="cell edges"):
        Grid.over((5, 5), edges)
