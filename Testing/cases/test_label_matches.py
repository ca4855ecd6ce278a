"""Labels that probably mean the same: proposed, and merged."""

from __future__ import annotations

import doctest

import numpy as np
import pytest

from NoisyLabelSegLib.cases import label_matches
from NoisyLabelSegLib.cases.label_findings import Marked
from NoisyLabelSegLib.cases.label_matches import LabelMatch, match_sentence, merge_labels, proposed_matches
from NoisyLabelSegLib.errors import UserError

EIGHT = ("background", *(f"class {number}" for number in range(1, 8)))


def marked(**values):
    return [Marked("p1", reader, used) for reader, used in values.items()]


def array(*values):
    return np.array(values, dtype=np.uint8)


def test_the_examples_give_what_they_show():
    assert doctest.testmod(label_matches).failed == 0


def test_nothing_is_proposed_where_readers_share_a_value():
    assert proposed_matches(marked(a=(1, 2), b=(2,), c=()), ("background", "x", "y")) == []


def test_several_values_are_matched_in_their_order():
    found = proposed_matches(marked(a=(1, 2), b=(10, 20), c=(1, 2)), ("background", *map(str, range(1, 21))))
    assert [str(match) for match in found] == ["b:10=1", "b:20=2"]


def test_values_are_not_matched_where_one_reader_uses_more_of_them():
    assert proposed_matches(marked(a=(1, 2), b=(7,)), EIGHT) == []


def test_spelling_variants_are_one_class_before_values_are_compared():
    classes = ("background", "Edema", "Oedema")
    assert proposed_matches(marked(a=(1,), b=(2,)), classes) == [LabelMatch("", 2, 1)]


def test_merged_values_leave_one_class():
    labels, classes = merge_labels({"a": array(0, 1, 1), "b": array(0, 7, 0)}, EIGHT, [LabelMatch.parse("b:7=1")])
    assert classes == ("background", "foreground")
    assert labels["b"].tolist() == [0, 1, 0]


def test_merged_spellings_close_the_gap_between_the_numbers():
    labels, classes = merge_labels(
        {"a": array(0, 1, 2), "b": array(3, 4, 0)},
        ("background", "Edema", "core", "Oedema", "vessel"),
        [LabelMatch("", 3, 1)],
    )
    assert classes == ("background", "Edema", "core", "vessel")
    assert (labels["a"].tolist(), labels["b"].tolist()) == ([0, 1, 2], [1, 3, 0])


def test_a_named_class_that_nobody_uses_stays():
    _, classes = merge_labels({"a": array(1), "b": array(2)}, ("background", "x", "X", "y"), [LabelMatch("", 2, 1)])
    assert classes == ("background", "x", "y")


def test_without_matches_arrays_are_the_same_objects():
    labels = {"a": array(1)}
    assert merge_labels(labels, EIGHT, [])[0]["a"] is labels["a"]


@pytest.mark.parametrize("text", ["b:7", "b:x=1", "7=300", ""])
def test_a_match_that_cannot_be_read_is_refused(text):
    with pytest.raises(UserError, match="anna:7=1"):
        LabelMatch.parse(text)


def test_a_match_comes_back_from_its_text():
    for match in (LabelMatch("b", 7, 1), LabelMatch("", 3, 1), LabelMatch("a:b", 3, 1)):
        assert LabelMatch.parse(str(match)) == match


def test_the_question_names_reader_and_values():
    assert match_sentence(LabelMatch("b", 7, 1), EIGHT) == "b uses class 7 (value 7) where others use class 1 (value 1)"
    assert match_sentence(LabelMatch("", 2, 1), ("background", "Edema", "oedema")) == (
        "oedema and Edema differ only by spelling"
    )
