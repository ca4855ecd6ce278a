"""`noisylabelseg predict` from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.cli import main

MakeStudy = Callable[..., Study]


@pytest.fixture
def trained(make_disk_study: MakeStudy, tmp_path: Path) -> tuple[str, Study]:
    study = make_disk_study(cases=2)
    words = ["train", str(study.folder), "--out", str(tmp_path / "run")]
    words += ["--set", "widths=[4,8]", "samples=0", "epochs=1"]
    assert main(words) == 0
    return str(tmp_path / "run" / "model.nlseg"), study


def test_a_study_and_a_loose_image_are_predicted(trained: tuple[str, Study], tmp_path: Path) -> None:
    model, study = trained
    out = tmp_path / "out"
    assert main(["predict", model, str(study.folder), "--out", str(out), "--annotators"]) == 0
    assert {path.name for path in (out / "case1").iterdir()} == {
        "truth.nrrd",
        "truth_probability.nrrd",
        "annotator_over.nrrd",
        "annotator_under.nrrd",
        "annotator_good.nrrd",
    }
    image = str(study.cases[0].images[0])
    assert main(["predict", model, image, "--out", str(tmp_path / "loose"), "--no-flips"]) == 0
    assert (tmp_path / "loose/image/truth.nrrd").is_file()


def test_predictions_are_not_overwritten_without_force(
    trained: tuple[str, Study], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, study = trained
    words = ["predict", model, str(study.folder), "--out", str(tmp_path / "out")]
    assert main(words) == 0
    assert main(words) == 2
    assert "--force" in capsys.readouterr().err
    assert main([*words, "--force"]) == 0


def test_a_model_that_is_none_is_refused_and_nothing_is_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], make_disk_study: MakeStudy
) -> None:
    (tmp_path / "bad.nlseg").write_text("nothing")
    study = make_disk_study(cases=1)
    assert main(["predict", str(tmp_path / "bad.nlseg"), str(study.folder), "--out", str(tmp_path / "out")]) == 2
    assert "bad.nlseg: is not a model package" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_labels_are_used_together_with_the_image(
    trained: tuple[str, Study], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, study = trained
    out = tmp_path / "out"
    capsys.readouterr()
    assert main(["predict", model, str(study.folder), "--out", str(out), "--labels", "--json"]) == 0
    result = next(
        event for line in capsys.readouterr().out.splitlines() if (event := json.loads(line))["event"] == "result"
    )
    used = json.loads((out / "combination.json").read_text())["cases"]
    assert result["labels"] == used
    assert set(used) == {"case0", "case1"}
    assert used["case0"]["annotators"] == list(study.annotators)
    assert 0 <= used["case0"]["fusion_weight"] <= 1
    assert {path.name for path in (out / "case1").iterdir()} == {"truth.nrrd", "truth_probability.nrrd"}
    image = str(study.cases[0].images[0])
    assert main(["predict", model, image, "--out", str(tmp_path / "loose"), "--labels"]) == 2
    assert "None of the cases has labels" in capsys.readouterr().err
