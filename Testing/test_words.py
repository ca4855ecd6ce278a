"""Numbers in sentences agree with their nouns."""

from __future__ import annotations

import pytest

from NoisyLabelSegLib.words import counted


@pytest.mark.parametrize(("count", "words"), [(0, "0 cases"), (1, "1 case"), (2, "2 cases")])
def test_a_noun_takes_an_s_unless_there_is_one(count: int, words: str) -> None:
    assert counted(count, "case") == words


def test_what_agrees_with_the_noun_is_given_in_both_forms() -> None:
    forms = ("case has", "cases have")
    assert [counted(1, *forms), counted(3, *forms)] == ["1 case has", "3 cases have"]
