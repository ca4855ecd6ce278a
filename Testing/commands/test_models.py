"""`noisylabelseg models`: what is there, and what is broken."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from NoisyLabelSegLib.cases.model_card import ModelCard
from NoisyLabelSegLib.cli import main
from NoisyLabelSegLib.networks import Architecture, CoupledNetwork
from NoisyLabelSegLib.networks.package import save_package
from NoisyLabelSegLib.resources import resource_path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    architecture = Architecture(dimensions=2, channels=3, classes=2, annotators=1, widths=(4, 8))
    card = ModelCard(architecture, ("background", "nodule"), ("ann",), {}, provenance={"study": "lungs", "cases": 9})
    save_package(tmp_path / "good" / "model.nlseg", CoupledNetwork(architecture), card)
    (tmp_path / "bad.nlseg").write_text("nothing")
    return tmp_path


def test_a_model_that_comes_with_the_program_is_found_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["models", "demo-nodules", "--json"]) == 0
    (listed,) = json.loads(capsys.readouterr().out.splitlines()[-1])["models"]
    assert listed["path"] == str(resource_path("models/demo-nodules.nlseg"))
    assert main(["models", "no-such-model"]) == 2


def test_packages_below_a_folder_are_listed_with_what_is_wrong_with_them(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["models", str(folder), "--json"]) == 0
    bad, good = json.loads(capsys.readouterr().out.splitlines()[-1])["models"]
    assert "not a model package" in bad["problem"]
    assert good["classes"] == ["background", "nodule"]
    assert main(["models", str(folder)]) == 0
    assert "lungs, 9 cases" in capsys.readouterr().out


def test_the_model_that_comes_with_the_program_is_listed_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(resource_path("models").parents[1])
    assert main(["models", "--json"]) == 0
    models = json.loads(capsys.readouterr().out.splitlines()[-1])["models"]
    assert sum(model["path"].endswith("demo-nodules.nlseg") for model in models) == 1


def test_models_of_the_program_go_by_name_and_unfinished_ones_are_left_out(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "good").rename(folder / ".run.partial-1")
    monkeypatch.chdir(folder)
    assert main(["models"]) == 0
    names = [line.split("│")[1].strip() for line in capsys.readouterr().out.splitlines() if line.startswith("│")]
    assert {"demo-nodules", "lidc-nodules", "bad.nlseg"} <= set(names)
    assert not any("partial" in name for name in names)


def test_one_package_is_described(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", str(folder / "good" / "model.nlseg")]) == 0
    assert "3 channels, 2D" in capsys.readouterr().out


def test_a_broken_or_missing_package_asked_for_by_name_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["models", str(folder / "bad.nlseg")]) == 2
    assert main(["models", str(folder / "none.nlseg")]) == 2
    assert capsys.readouterr().err.count("\n") == 2


def test_square_brackets_of_a_card_are_shown_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    architecture = Architecture(dimensions=2, channels=1, classes=2, annotators=1, widths=(4,))
    card = ModelCard(architecture, ("background", "[/red]"), ("[b]ann",), {}, license="[link=x]free[/nothing]")
    save_package(tmp_path / "model.nlseg", CoupledNetwork(architecture), card)
    assert main(["models", str(tmp_path / "model.nlseg")]) == 0
    shown = capsys.readouterr().out
    assert all(text in shown for text in ("[/red]", "[b]ann", "[link=x]free[/nothing]"))
