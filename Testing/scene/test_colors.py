"""The color tables of the project as color nodes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from NoisyLabelSegLib.resources import resource_path
from NoisyLabelSegLib.review import COLORBLIND, PAPER, color_table
from NoisyLabelSegLib.scene.colors import CONFIDENCE, HEAT, annotatorColor, classColor, errorColors, rampColors

Node = Any


@pytest.mark.parametrize("name", [PAPER, COLORBLIND])
def test_the_codes_have_the_colors_and_names_of_the_table(name: str, scene: Node) -> None:
    node, color = errorColors(scene, name), [0.0] * 4
    for entry in color_table(name)[1:]:
        node.GetColor(entry.code, color)
        assert color == pytest.approx(entry.rgba, abs=1 / 255)
        assert node.GetColorName(entry.code) == entry.name


def test_code_0_is_clear_and_has_no_line_in_the_legend(scene: Node) -> None:
    node, color = errorColors(scene), [1.0] * 4
    node.GetColor(0, color)
    assert color[3] == 0
    assert not node.GetColorDefined(0)


def test_two_classes_need_no_line_for_the_wrong_class(scene: Node) -> None:
    assert errorColors(scene).GetColorDefined(4)
    assert not errorColors(scene, wrongClass=False).GetColorDefined(4)


def test_a_table_is_made_once_per_scene(scene: Node) -> None:
    assert errorColors(scene) is errorColors(scene)
    assert rampColors(scene, HEAT) is rampColors(scene, HEAT)
    assert errorColors(scene) is not errorColors(scene, PAPER)


@pytest.mark.parametrize("name", [HEAT, CONFIDENCE])
def test_a_ramp_goes_from_its_first_to_its_last_point(name: str, scene: Node) -> None:
    points = json.loads(resource_path(f"colors/ramps/{name}.json").read_text(encoding="utf-8"))["points"]
    assert [point["at"] for point in points] == sorted(point["at"] for point in points)
    assert (points[0]["at"], points[-1]["at"]) == (0.0, 1.0)
    node, color = rampColors(scene, name), [0.0] * 4
    for step, point in ((0, points[0]), (255, points[-1])):
        node.GetColor(step, color)
        assert color == pytest.approx(point["rgba"], abs=1 / 255)


def test_colors_repeat_after_the_last_one() -> None:
    assert annotatorColor(0) == annotatorColor(16)
    assert classColor(1) == classColor(13)
    assert len({annotatorColor(index) for index in range(16)}) == 16
    assert len({classColor(label) for label in range(1, 13)}) == 12
