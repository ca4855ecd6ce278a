"""A review that is done in another process says the same as one done here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion import Votes
from NoisyLabelSegLib.fusion.leave_one_out import FusedFrom, leave_one_out
from NoisyLabelSegLib.review import review_case
from NoisyLabelSegLib.review.handover import read_answer, review_folder, write_question


def test_what_comes_back_is_what_the_review_found(tmp_path: Path) -> None:
    truth = np.zeros((6, 12, 12), dtype=np.uint8)
    truth[1:5, 2:6, 2:6], truth[1:5, 8:11, 8:11] = 1, 2
    wide, blank = truth.copy(), np.zeros_like(truth)
    wide[1:5, 1:7, 1:7] = 1
    labels, grid, classes = {"wide": wide, "blank": blank}, Geometry.plain(truth.shape), ("background", "a", "b")
    votes = Votes(list(labels.values()), classes=3, names=tuple(labels))
    origin = FusedFrom.of(votes, leave_one_out(votes, "majority"))
    here = review_case(labels, truth, grid, classes=classes, case="one", fused_from=origin)

    folder = tmp_path / "question"
    for _ in write_question(folder, labels, truth, grid, classes=classes, case="one", fused_from=origin):
        pass
    (tmp_path / "answer").mkdir()
    reports = []
    review_folder(tmp_path / "question", tmp_path / "answer", report=reports.append)
    there = read_answer(tmp_path / "answer")

    assert there.case == "one"
    assert there.statistics == here.statistics
    assert there.statistics[0].fused_from == 2
    assert there.statistics[0].dice_leave_one_out == 0
    assert there.mistakes == here.mistakes
    assert len(there.mistakes) > 2
    for name in labels:
        assert np.array_equal(there.error_maps[name], here.error_maps[name])
        assert np.array_equal(there.confusion[name], here.confusion[name])
    assert (reports[-1].done, reports[-1].total) == (2, 2)


def test_the_reference_without_an_annotator_is_made_where_the_review_is_done(tmp_path: Path) -> None:
    a, b, c = (np.array([row], np.uint8) for row in ([1, 1, 1, 0], [0, 1, 1, 0], [0, 1, 0, 0]))
    labels, grid = {"a": a, "b": b, "c": c}, Geometry.plain((1, 4))
    votes = Votes([a, b, c], names=("a", "b", "c"))
    fused = votes.fuse("majority").labels
    counted = FusedFrom.of(votes, leave_one_out(votes, "majority"))
    here = review_case(labels, fused, grid, classes=("background", "a"), fused_from=counted)

    asked = FusedFrom(("a", "b", "c"), {}, "majority")
    for _ in write_question(
        tmp_path / "question", labels, fused, grid, classes=("background", "a"), case="", fused_from=asked
    ):
        pass
    (tmp_path / "answer").mkdir()
    review_folder(tmp_path / "question", tmp_path / "answer")

    assert read_answer(tmp_path / "answer").statistics == here.statistics
    assert [row.dice_leave_one_out for row in here.statistics] == [1 / 2, 2 / 3, 2 / 3]


def test_a_folder_without_a_review_is_said_to_have_none(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no review"):
        read_answer(tmp_path)
