"""The color tables are data; these tests are their schema."""

from __future__ import annotations

import pytest

from NoisyLabelSegLib.review import ANNOTATORS, COLORBLIND, PAPER, ErrorCode, color_table


@pytest.mark.parametrize("name", [PAPER, COLORBLIND])
def test_every_code_of_an_error_map_has_a_color(name: str) -> None:
    table = color_table(name)
    assert [color.code for color in table] == list(ErrorCode)
    assert [color.key.upper() for color in table] == [code.name for code in ErrorCode]
    assert all(0 <= value <= 1 for color in table for value in color.rgba)
    assert len({color.rgba for color in table}) == len(table)
    assert table[0].opacity == 0


def test_the_paper_shows_hits_white_misses_green_and_extras_red() -> None:
    _, hit, miss, extra, wrong = (color.rgba[:3] for color in color_table(PAPER))
    assert hit == (1, 1, 1)
    assert max(miss) == miss[1] > 0.5
    assert miss[0] == miss[2] == 0
    assert extra == (1, 0, 0)
    assert wrong == (1, 0.75, 0)


def test_annotators_have_colors_of_their_own() -> None:
    table = color_table(ANNOTATORS)
    assert len({color.css for color in table}) == len(table) >= 12
    assert table[0].css == "#0066ff"
