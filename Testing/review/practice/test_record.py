"""The practice record of one person."""

from __future__ import annotations

import csv
from datetime import date

import numpy as np
import pytest

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.review.practice.record import Attempt, PracticeRecord, case_digest


def attempt(case: str = "a", day: str = "2026-11-01", dice: float = 0.8) -> Attempt:
    return Attempt(case, day, dice, 0.75, 0.7, 0.8, 0.9, experts=3, errors=2, missed_ml=0.1, extra_ml=0.0)


def test_attempts_come_back_in_their_order(tmp_path):
    record = PracticeRecord.read(tmp_path / "practice.json")
    assert record.attempts == ()
    record.add(attempt()).add(attempt("b"))
    assert [each.case for each in PracticeRecord.read(record.path).attempts] == ["a", "b"]


def test_two_windows_do_not_overwrite_each_other(tmp_path):
    one, other = (PracticeRecord.read(tmp_path / "practice.json") for _ in range(2))
    one.add(attempt("a"))
    other.add(attempt("b"))
    assert len(PracticeRecord.read(one.path).attempts) == 2


def test_the_exported_table_numbers_cases_and_attempts(tmp_path):
    record = PracticeRecord.read(tmp_path / "practice.json").add(attempt("x")).add(attempt("y")).add(attempt("x"))
    record.export(tmp_path / "progress.csv")
    rows = list(csv.DictReader((tmp_path / "progress.csv").open()))
    assert [(row["case"], row["attempt"]) for row in rows] == [("case 1", "1"), ("case 2", "1"), ("case 1", "2")]
    assert rows[0]["dice_undisputed"] == "0.8"


def test_a_deleted_record_leaves_no_file(tmp_path):
    record = PracticeRecord.read(tmp_path / "practice.json").add(attempt())
    assert record.delete().attempts == ()
    assert not record.path.exists()


def test_a_case_comes_back_later_and_later(tmp_path):
    record = PracticeRecord.read(tmp_path / "practice.json").add(attempt(day="2026-11-01"))
    assert record.due(date(2026, 11, 1)) == {}
    assert record.due(date(2026, 11, 2)) == {"a": date(2026, 11, 2)}
    again = record.add(attempt(day="2026-11-02"))
    assert again.due(date(2026, 11, 4)) == {}
    assert again.due(date(2026, 11, 5)) == {"a": date(2026, 11, 5)}


def test_the_digest_tells_cases_apart_and_not_the_order_of_experts():
    first, second = np.eye(3, dtype=np.uint8), np.ones((3, 3), dtype=np.uint8)
    assert case_digest([first, second]) == case_digest([second, first])
    assert case_digest([first]) != case_digest([second])


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"format": "other", "attempts": []}',
        '{"format": "noisylabelseg-practice/1", "attempts": [3]}',
        '{"format": "noisylabelseg-practice/1", "attempts": [{"date": "soon"}]}',
    ],
)
def test_a_damaged_record_is_named_and_kept(tmp_path, text):
    path = tmp_path / "practice.json"
    path.write_text(text)
    with pytest.raises(UserError, match=r"practice\.json"):
        PracticeRecord.read(path)
    assert path.read_text() == text
