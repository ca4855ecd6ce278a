"""JSON from outside becomes a dataclass, or a sentence that names the key."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.json_checks import parse_object, read_json, read_text, to_dataclass


@dataclass(frozen=True)
class Recipe:
    name: str
    size: tuple[int, ...] = ()
    weight: float = 1.0
    seed: int | None = None
    quick: bool = False
    costs: Mapping[str, float] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)


def test_an_object_becomes_the_dataclass_and_lists_become_tuples() -> None:
    content = {"name": "a", "size": [1, 2], "weight": 2, "seed": None, "costs": {"x": 1}, "options": {"y": [1]}}
    assert to_dataclass(Recipe, content, what="recipe") == Recipe("a", (1, 2), 2, None, False, {"x": 1}, {"y": [1]})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"nme": 1}, "The recipe has no setting 'nme'; the settings are name, size, weight"),
        ({"name": 1}, "The recipe's setting 'name' must be text, not 1"),
        ({"size": [1.5]}, "'size' must be a list of whole numbers, not [1.5]"),
        ({"size": 3}, "'size' must be a list of whole numbers, not 3"),
        ({"weight": True}, "'weight' must be a number, not true"),
        ({"weight": None}, "'weight' must be a number, not null"),
        ({"seed": "1"}, "'seed' must be a whole number or null, not \"1\""),
        ({"seed": True}, "'seed' must be a whole number or null, not true"),
        ({"quick": 1}, "'quick' must be true or false, not 1"),
        ({"costs": {"x": "y"}}, "'costs' must be an object of numbers"),
        ({"options": []}, "'options' must be an object, not []"),
    ],
)
def test_a_value_that_does_not_belong_is_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(UserError) as error:
        to_dataclass(Recipe, {"name": "a", **change}, what="recipe")
    assert words in error.value.sentence


def test_a_field_without_default_must_be_there() -> None:
    with pytest.raises(UserError, match="The recipe's setting 'name' is missing"):
        to_dataclass(Recipe, {}, what="recipe")


@pytest.mark.parametrize(("text", "words"), [("{", "A recipe is not valid JSON"), ("[]", "is not a JSON object")])
def test_text_that_is_no_object_is_refused(text: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        parse_object(text, what="A recipe is")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "latin.json").write_bytes(b"\xe4")
    with pytest.raises(UserError, match=r"latin\.json: is not UTF-8 text; save it as UTF-8"):
        read_text(tmp_path / "latin.json")
    with pytest.raises(UserError, match=r"none\.json: does not exist; check the path"):
        read_text(tmp_path / "none.json")


def test_a_file_that_is_not_json_is_named_with_the_line(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    with pytest.raises(UserError, match=r"x\.json: does not exist; make it"):
        read_json(path, missing="make it")
    path.write_text('{"a": 1,\n}', encoding="utf-8")
    with pytest.raises(UserError, match=r"x\.json: is not valid JSON \(line 2\); mend it"):
        read_json(path, damaged="mend it")
    path.write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(UserError, match="nested too deeply"):
        read_json(path)
    path.write_text("\ufeff[1]", encoding="utf-8")
    assert read_json(path) == [1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": 1, "b": {"c": 1, "c": 2}}', "it has the key 'c' twice"),
        ('{"a": NaN}', "NaN is not a number"),
        ('{"a": [-Infinity]}', "-Infinity is not a number"),
        ('{"a": ["\\ud800"]}', "half a character"),
        ('{"\\uDFFF": 1}', "half a character"),
    ],
)
def test_what_json_readers_disagree_about_is_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=words):
        read_json(path)


def test_a_whole_surrogate_pair_is_a_character(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('"\\ud83e\\udde0"', encoding="utf-8")
    assert read_json(tmp_path / "x.json") == "\U0001f9e0"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "study.json")
    with pytest.raises(UserError, match="is a named pipe, not a file"):
        read_json(tmp_path / "study.json")


@pytest.mark.parametrize("number", ["1e999", "-1e999", "9" * 19, "9" * 400, "9" * 5000])
def test_a_number_that_no_computer_holds_is_refused(tmp_path: Path, number: str) -> None:
    (tmp_path / "a.json").write_text(f'{{"seconds": [{number}]}}', encoding="utf-8")
    with pytest.raises(UserError, match=r"is not valid JSON: the number -?[19].* is too large; correct it\.$"):
        read_json(tmp_path / "a.json")


def test_numbers_of_64_bits_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[-123456789012345678, 1e308, 0.1]", encoding="utf-8")
    assert read_json(tmp_path / "a.json") == [-123456789012345678, 1e308, 0.1]
