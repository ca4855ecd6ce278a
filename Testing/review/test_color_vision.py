"""The colors of errors, seen with deuteranopia and protanopia, over dark and light anatomy."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

from NoisyLabelSegLib.resources import resource_path
from NoisyLabelSegLib.review import DEFAULT_COLORS, color_table
from Testing.color_vision import SIMULATIONS, difference, lab, over, seen

GRAYS = (0.0, 0.3, 0.6)
MISSED, TOO_MUCH, WRONG_CLASS = 2, 3, 4


def shown(code: int, gray: float, kind: str) -> np.ndarray:
    """An error's color over a gray, as it is seen."""
    return seen(over(color_table(DEFAULT_COLORS)[code].rgba, gray), kind)


@pytest.mark.parametrize("gray", GRAYS)
@pytest.mark.parametrize("kind", SIMULATIONS)
def test_errors_are_told_apart_from_each_other_and_from_the_image(kind: str, gray: float) -> None:
    colors = [shown(code, gray, kind) for code in (MISSED, TOO_MUCH, WRONG_CLASS)]
    for one, other in itertools.combinations(colors, 2):
        assert difference(one, other) > 30
    for color in colors:
        assert difference(color, np.full(3, gray)) > 30


@pytest.mark.parametrize("gray", GRAYS)
@pytest.mark.parametrize("kind", SIMULATIONS)
def test_missed_is_lighter_than_too_much(kind: str, gray: float) -> None:
    assert lab(shown(MISSED, gray, kind))[0] - lab(shown(TOO_MUCH, gray, kind))[0] > 15


@pytest.mark.parametrize("kind", SIMULATIONS)
def test_what_is_in_doubt_looks_different_from_what_is_sure(kind: str) -> None:
    points = json.loads(resource_path("colors/ramps/veil.json").read_text(encoding="utf-8"))["points"]
    doubtful, sure = (next(p["rgba"] for p in points if p["at"] == at) for at in (0.5, 1.0))
    for gray in GRAYS:
        assert difference(seen(over(doubtful, gray), kind), seen(over(sure, gray), kind)) > 40
        assert difference(seen(over(doubtful, gray), kind), np.full(3, gray)) > 20


def test_the_simulation_confuses_red_and_green() -> None:
    red, green = (1.0, 0.0, 0.0), (0.4, 0.4, 0.0)
    assert difference(red, green) > 70
    assert difference(seen(red, "protanopia"), seen(green, "protanopia")) < 25
