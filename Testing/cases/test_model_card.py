"""The card of a model package: read, listed and described without PyTorch. Bad packages: networks/test_package.py."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from NoisyLabelSegLib.cases.model_card import CARD, FORMAT, WEIGHTS, list_models, read_card, shipped_models
from NoisyLabelSegLib.errors import UserError


def write(path: Path, **changes: Any) -> Path:
    """A package with a valid card but for the changes, and empty weights."""
    card = {
        "format": FORMAT,
        "architecture": {"dimensions": 2, "channels": 3, "classes": 2, "annotators": 1},
        "classes": ["background", "nodule"],
        "annotators": ["ann"],
        "preprocessing": {},
        **changes,
    }
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(CARD, json.dumps(card))
        archive.writestr(WEIGHTS, b"")
    return path


def test_a_card_says_what_the_model_takes_and_was_trained_on(tmp_path: Path) -> None:
    card = read_card(write(tmp_path / "a.nlseg", provenance={"study": "lungs", "cases": 9}))
    assert card.input == "3 channels, 2D"
    assert card.trained_on == "lungs, 9 cases"


def test_a_card_without_provenance_says_that_it_does_not_know(tmp_path: Path) -> None:
    card = read_card(write(tmp_path / "a.nlseg"))
    assert card.study is None
    assert card.trained_on == "?, ? cases"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"format": "noisylabelseg-model/99"}, "this version reads"),
        ({"classes": ["a", "a"]}, "repeat a name"),
        ({"annotators": ["../ann"]}, "the annotator '../ann'"),
        ({"provenance": []}, "'provenance' is of the wrong type"),
        ({"classes": ["a", "b", "c"]}, "does not fit its classes"),
        ({"scope": {"spacing": "ab"}}, "'spacing' of the scope is not two numbers"),
        ({"scope": {"spacing": [0.4]}}, "'spacing' of the scope is not two numbers"),
        ({"scope": {"edge": "64"}}, "'edge' of the scope is not a number of pixels"),
        ({"scope": {"object": ["nodule"]}}, "'object' of the scope is not a text"),
    ],
)
def test_a_bad_card_is_refused_and_listed_with_the_reason(tmp_path: Path, changes: dict[str, Any], why: str) -> None:
    path = write(tmp_path / "a.nlseg", **changes)
    with pytest.raises(UserError, match=why):
        read_card(path)
    (listed,) = list_models([tmp_path])
    assert listed.card is None
    assert why in listed.problem


def test_the_shipped_models_are_listed_without_loading_torch() -> None:
    code = (
        "import sys; from NoisyLabelSegLib.cases.model_card import read_card, shipped_models; "
        "print(*[read_card(path).input for path in shipped_models()], 'torch' in sys.modules, sep='; ')"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert said.endswith("False")
    assert said.count("channel") == len(shipped_models())


def test_demonstrations_are_never_listed_first() -> None:
    names = [path.name for path in shipped_models()]
    assert names == ["lidc-nodules.nlseg", "demo-nodules.nlseg"]
    assert [item.path.name for item in list_models([shipped_models()[0].parent])] == names


def test_the_nodule_model_is_within_the_spread_of_the_readers_and_says_where_its_data_are_from() -> None:
    path = shipped_models()[0]
    card = read_card(path)
    everybody = card.metrics["testPatients"]["allFourMasks"]
    assert everybody["diceToReaders"] >= everybody["diceBetweenReaders"] - 0.03
    assert path.stat().st_size <= 8 * 2**20
    assert "CC BY 3.0" in card.license
    assert "10.7937/K9/TCIA.2015.LO9QL9SX" in card.details["training data"]
    assert card.annotators == ("slot1", "slot2", "slot3", "slot4")
