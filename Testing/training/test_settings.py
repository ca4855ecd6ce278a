"""Settings are one record, checked in words, whatever they come from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.training import Settings, preset, preset_names


def test_settings_survive_json() -> None:
    settings = Settings(widths=(8, 16), spacing=(2.0, 1.0, 1.0), trunk="BasicUNet", trunk_arguments={"act": "relu"})
    assert Settings.from_json(json.loads(json.dumps(settings.to_json()))) == settings


def test_words_change_settings_as_json_values_or_plain_text() -> None:
    settings = Settings().with_words(["target=majority", "trace=1", "widths=[4, 8]", "flips=false"])
    assert (settings.target, settings.trace, settings.widths, settings.flips) == ("majority", 1.0, (4, 8), False)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("epochs", "key=value"),
        ("epoch=3", "no setting 'epoch'"),
        ("epochs=three", "epochs must be like 40"),
        ("epochs=2.5", "epochs must be like"),
        ("flips=1", "flips must be like"),
        ("batch=true", "batch must be like"),
        ('widths=["a"]', "widths must be like"),
    ],
)
def test_a_wrong_word_is_named(word: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Settings().with_words([word])


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("target=opinions", "target must be one of coupled, majority"),
        ("epochs=0", "epochs must be from 1"),
        ("learning_rate=NaN", "learning_rate must be from"),
        ("window=[400, -1000]", "lower one first"),
        ("spacing=[1, -1, 1]", "millimeters"),
        ("widths=[]", "widths"),
    ],
)
def test_a_value_that_makes_no_sense_is_a_problem_in_words(word: str, said: str) -> None:
    (problem,) = Settings().with_words([word]).problems()
    assert said in problem


def test_the_defaults_make_sense() -> None:
    assert Settings().problems() == []


def test_every_preset_can_be_used_and_the_promised_ones_are_there() -> None:
    promised = {"default", "quick", "mnist", "ms", "brats", "lidc"}
    promised |= {f"paper-{name}" for name in ("mnist", "ms", "brats", "lidc")}
    assert promised <= set(preset_names())
    for name in preset_names():
        assert preset(name).problems() == []


def test_a_preset_of_ones_own_is_a_json_file(tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text('{"about": "mine", "epochs": 3}')
    assert preset(str(tmp_path / "mine.json")).epochs == 3


@pytest.mark.parametrize("content", ["", "[]", '{"epochs": "many"}', '{"speed": 1}', '{"epochs": -1}'])
def test_a_file_that_is_no_preset_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "mine.json").write_text(content)
    with pytest.raises(UserError):
        preset(str(tmp_path / "mine.json"))


def test_an_unknown_preset_is_answered_with_the_names_there_are() -> None:
    with pytest.raises(UserError, match="choose one of brats"):
        preset("nonsense")
