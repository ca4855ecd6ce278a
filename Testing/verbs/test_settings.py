"""Settings: one record for panel, command line and worker, checked before anything long begins."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.verbs import (
    FuseSettings,
    PredictSettings,
    ReviewSettings,
    TrainSettings,
    VerbSettings,
    read_settings,
    settings_from_json,
)

ALL = [
    FuseSettings(study="a b/ä.json", out="out", method="majority", options={"prior": 0.5}, force=True),
    FuseSettings(labels=("1.nrrd", "2.nrrd"), out="out"),
    ReviewSettings(study="s", out="out", truth="fused", options={"pictures": 3}),
    TrainSettings(study="s", out="run", preset="quick", overrides={"epochs": 3, "widths": [4, 8]}, resume=True),
    PredictSettings(model="m.nlseg", images=("flair.nii.gz,t1.nii.gz",), out="out", annotators=True),
]


@pytest.mark.parametrize("settings", ALL, ids=lambda settings: settings.verb)
def test_settings_survive_their_json(settings: VerbSettings) -> None:
    assert settings_from_json(settings.to_json()) == settings


def test_the_json_says_what_it_is() -> None:
    content = json.loads(ALL[0].to_json())
    assert content["format"] == "noisylabelseg-job/1"
    assert content["verb"] == "fuse"
    assert content["study"] == "a b/ä.json"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"metod": "staple"}, "has no setting 'metod'; the settings are out, force, study"),
        ({"force": "yes"}, "'force' must be true or false, not \"yes\""),
        ({"force": 1}, "'force' must be true or false, not 1"),
        ({"labels": "a.nrrd"}, "'labels' must be a list of text"),
        ({"labels": [1]}, "'labels' must be a list of text"),
        ({"options": []}, "'options' must be an object"),
        ({"out": None}, "'out' must be text, not null"),
        ({"format": "noisylabelseg-job/9"}, "not of the format noisylabelseg-job/1"),
        ({"verb": ["fuse"]}, "There is no job"),
    ],
)
def test_what_does_not_belong_is_refused(change: dict[str, Any], words: str) -> None:
    content = json.loads(ALL[0].to_json()) | change
    with pytest.raises(UserError) as error:
        settings_from_json(json.dumps(content))
    assert words in error.value.sentence


def test_a_setting_without_a_default_must_be_there() -> None:
    with pytest.raises(UserError, match="'study' is missing"):
        settings_from_json('{"format": "noisylabelseg-job/1", "verb": "train", "out": "run"}')


def test_text_that_is_not_json_points_to_an_example() -> None:
    with pytest.raises(UserError, match=r"are not valid JSON; see docs/jobs\.md for an example"):
        settings_from_json("{")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none\.json: does not exist; check the path"):
        read_settings(tmp_path / "none.json")


@pytest.fixture
def there(tmp_path: Path) -> str:
    (tmp_path / "there").write_text("there")
    return str(tmp_path / "there")


def test_settings_that_can_work_have_no_problems(there: str, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    good = [
        FuseSettings(study=there, out=out),
        FuseSettings(labels=(there, there), out=out),
        ReviewSettings(study=there, out=out),
        TrainSettings(study=there, out=out),
        PredictSettings(model=there, images=(f"{there},{there}",), out=out),
        FuseSettings(study=there, out=str(tmp_path), force=True),
        TrainSettings(study=there, out=str(tmp_path), resume=True),
    ]
    assert [settings.problems() for settings in good] == [[]] * len(good)


def test_every_problem_is_a_sentence_that_says_what_to_do(there: str, tmp_path: Path) -> None:
    out, folder = str(tmp_path / "out"), str(tmp_path)
    bad = {
        "Choose a study or label files.": FuseSettings(out=out),
        "Choose a study or label files, not both.": FuseSettings(study=there, labels=(there,), out=out),
        "Choose a study.": TrainSettings(study="", out=out),
        "Choose a trained model.": PredictSettings(model="", study=there, out=out),
        "Choose a folder for the results.": ReviewSettings(study=there, out=""),
        f"{there} is a file, not a folder; choose another folder for the results.": FuseSettings(
            study=there, out=there
        ),
        f"{out}/x does not exist; choose another image.": PredictSettings(
            model=there, images=(f"{there},{out}/x",), out=out
        ),
        f"{folder} is not empty; choose another folder for the results or allow replacing.": TrainSettings(
            study=there, out=folder
        ),
    }
    for sentence, settings in bad.items():
        assert settings.problems() == [sentence]
