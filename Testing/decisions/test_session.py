"""A case is adjudicated step by step: decided, edited, undone, loaded and merged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.decisions import Decisions, adjudicate_case, find_disagreements, labels_digest
from NoisyLabelSegLib.decisions.handover import read_disagreements, write_disagreements
from NoisyLabelSegLib.decisions.session import Session, Stamp
from NoisyLabelSegLib.errors import UserError

GRID = Geometry.plain((3, 12, 12))
ANN, BEN = Stamp("Ann", "2026-03-01"), Stamp("Ben", "2026-03-02")


def drawn(*columns: int) -> np.ndarray:
    """Objects of 2 x 2 pixels in the middle slice, the first pixel in these columns."""
    labels = np.zeros(GRID.shape, dtype=np.uint8)
    for column in columns:
        labels[1, 4:6, column : column + 2] = 1
    return labels


LABELS = {"anna": drawn(1, 4), "bert": drawn(4, 7), "carla": drawn(4, 10)}
REFERENCE = drawn(4)
FIRST, SECOND, THIRD = 1, 2, 3  # of equal size, in the order of the array


def new_session(case: str = "case") -> Session:
    regions = find_disagreements(LABELS, REFERENCE, GRID)
    return Session(case, REFERENCE, regions, Decisions("majority", tuple(LABELS), {case: labels_digest(LABELS)}))


def replayed(session: Session) -> np.ndarray:
    edited = session.edited
    return adjudicate_case("case", LABELS, REFERENCE, GRID, session.record(), lambda _file: edited).labels


def test_decisions_change_the_truth_and_are_undone_one_by_one() -> None:
    session = new_session()
    session.decide(FIRST, "annotator:anna", ANN, "clear")
    np.testing.assert_array_equal(session.truth(), drawn(1, 4))
    assert session.next_undecided(FIRST) == SECOND
    session.decide(FIRST, "estimate", ANN)
    np.testing.assert_array_equal(session.truth(), REFERENCE)
    session.undo()
    np.testing.assert_array_equal(session.truth(), drawn(1, 4))
    assert [decision.comment for decision in session.record().decisions] == ["clear"]
    session.undo()
    assert session.undecided == [FIRST, SECOND, THIRD]
    assert not session.can_undo


def test_behind_the_last_region_the_first_undecided_one_is_next() -> None:
    session = new_session()
    session.decide(THIRD, "majority", ANN)
    assert session.next_undecided(THIRD) == FIRST
    session.decide(FIRST, "majority", ANN)
    session.decide(SECOND, "unclear", ANN)
    assert session.next_undecided(SECOND) is None


def test_an_edit_decides_the_regions_that_it_touches_and_keeps_what_it_changes_elsewhere() -> None:
    session = new_session()
    session.decide(THIRD, "annotator:carla", ANN)
    edited = session.truth()
    edited[1, 4, 7] = 1  # a part of the second region
    edited[0, 0, 0] = 1  # where all agree
    assert session.take_edit(edited, ANN) == [0, SECOND]
    np.testing.assert_array_equal(session.truth(), edited)
    np.testing.assert_array_equal(replayed(session), edited)
    assert session.undecided == [FIRST]
    session.decide(FIRST, "annotator:anna", ANN)
    np.testing.assert_array_equal(session.truth(), np.maximum(edited, drawn(1)))


def test_two_edits_are_undone_one_after_the_other() -> None:
    session = new_session()
    first = session.truth()
    first[0, 0, 0] = 1
    session.take_edit(first, ANN)
    second = first.copy()
    second[0, 0, 1] = second[1, 4, 1] = 1
    session.take_edit(second, ANN)
    np.testing.assert_array_equal(session.truth(), second)
    session.undo()
    np.testing.assert_array_equal(session.truth(), first)
    session.undo()
    np.testing.assert_array_equal(session.truth(), REFERENCE)
    assert session.record().decisions == ()


def test_an_edit_that_is_taken_away_by_hand_is_no_edit_any_more() -> None:
    session = new_session()
    edited = session.truth()
    edited[0, 0, 0] = 1
    session.take_edit(edited, ANN)
    session.take_edit(REFERENCE, ANN)
    assert not session.is_edited
    assert session.take_edit(REFERENCE, ANN) == []


def test_a_record_goes_on_where_it_was_left() -> None:
    session = new_session()
    session.decide(SECOND, "annotator:bert", ANN)
    edited = session.truth()
    edited[2, 0, 0] = 1
    session.take_edit(edited, ANN)
    again = new_session()
    again.load(Decisions.from_text(session.record().text()), edited)
    np.testing.assert_array_equal(again.truth(), session.truth())
    assert again.undecided == [FIRST, THIRD]
    again.undo()  # the edit
    np.testing.assert_array_equal(again.truth(), drawn(4, 7))


def test_decisions_about_regions_that_are_gone_are_kept_but_not_applied() -> None:
    session = new_session()
    session.decide(FIRST, "annotator:anna", ANN)
    session.decide(SECOND, "annotator:bert", ANN)
    changed = {**LABELS, "anna": drawn(4)}
    later = Session("case", REFERENCE, find_disagreements(changed, REFERENCE, GRID), session.basis)
    later.load(session.record())
    assert len(later.unmatched) == 1
    np.testing.assert_array_equal(later.truth(), drawn(4, 7))
    assert len(later.record().decisions) == 1
    assert len(later.record(whole=True).decisions) == 2


def test_what_one_adjudicator_decided_is_added_and_what_differs_is_a_conflict() -> None:
    mine, theirs = new_session(), new_session()
    mine.decide(FIRST, "annotator:anna", ANN)
    mine.decide(SECOND, "majority", ANN)
    theirs.decide(FIRST, "estimate", BEN)
    theirs.decide(THIRD, "annotator:carla", BEN)
    assert mine.merge(theirs.record()) == (1, 1)
    assert [mine.conflicts[FIRST].first.by, mine.conflicts[FIRST].second.by] == ["Ann", "Ben"]
    assert mine.undecided == [FIRST]
    np.testing.assert_array_equal(mine.truth(), drawn(4, 10))
    mine.decide(FIRST, "annotator:anna", ANN)
    assert not mine.conflicts
    mine.undo()
    assert list(mine.conflicts) == [FIRST]
    mine.undo()
    assert mine.undecided == [THIRD]
    assert not mine.conflicts


def test_another_adjudicator_s_edits_are_merged_voxel_by_voxel() -> None:
    mine, theirs = new_session(), new_session()
    first, second = mine.truth(), theirs.truth()
    first[1, 4, 1] = 1
    second[1, 4, 7] = 1
    mine.take_edit(first, ANN)
    theirs.take_edit(second, BEN)
    assert theirs.edited is not None
    assert mine.merge(theirs.record(), theirs.edited) == (1, 0)
    np.testing.assert_array_equal(mine.truth(), np.maximum(first, second))
    np.testing.assert_array_equal(replayed(mine), mine.truth())


def test_decisions_about_another_reference_are_not_merged() -> None:
    with pytest.raises(UserError, match="differ in 'method'"):
        new_session().merge(replace(new_session().record(), method="staple"))


def test_disagreements_are_the_same_after_another_process_found_them(tmp_path: Path) -> None:
    write_disagreements(tmp_path, LABELS, REFERENCE, GRID, agreed_share=None)
    regions, described, digest = read_disagreements(tmp_path, LABELS, GRID)
    here = find_disagreements(LABELS, REFERENCE, GRID)
    assert described == {number: here[number] for number in (1, 2, 3)}
    assert [regions[number] for number in (1, 2, 3)] == list(described.values())
    assert digest == labels_digest(LABELS)
