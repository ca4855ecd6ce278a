"""The demonstration models work right after installation, on phantoms that they have never seen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.demo_model import JUDGE_SEEDS, LEARN_SEED, RECIPES, phantoms
from NoisyLabelSegLib.cases import read_labels
from NoisyLabelSegLib.cases.model_card import read_card
from NoisyLabelSegLib.cli import main
from NoisyLabelSegLib.fusion import fuse
from NoisyLabelSegLib.metrics import dice
from NoisyLabelSegLib.progress import silent
from NoisyLabelSegLib.resources import resource_path

MODELS = sorted(resource_path("models").glob("demo-*.nlseg"))
UNSEEN_SEED = 5


def kind_of(model: Path) -> str:
    return model.stem.removeprefix("demo-")


@pytest.mark.parametrize("model", MODELS, ids=kind_of)
def test_it_beats_the_majority_vote_of_all_annotators_on_phantoms_it_has_never_seen(
    model: Path, tmp_path: Path
) -> None:
    assert UNSEEN_SEED not in (LEARN_SEED, *JUDGE_SEEDS)
    study = phantoms(kind_of(model), tmp_path / "study", 4, UNSEEN_SEED, silent)
    learned, voted = [], []
    for case in study.cases:
        out = tmp_path / case.id
        assert main(["predict", str(model), str(case.images[0]), "--out", str(out)]) == 0
        (found,) = out.rglob("truth.nrrd")
        labels = [drawn for drawn in case.all_labels(study.annotators) if drawn is not None]
        assert len(labels) == 5
        learned.append(dice(read_labels(found).array, case.truth(), classes=2))
        voted.append(dice(fuse(labels, "majority", 2).labels, case.truth(), classes=2))
    assert np.mean(learned) > np.mean(voted)


@pytest.mark.parametrize("model", MODELS, ids=kind_of)
def test_its_card_says_on_what_and_how_good(model: Path) -> None:
    card = read_card(model)
    assert kind_of(model) in RECIPES
    assert card.metrics["unseen"]["dice"] > card.metrics["unseen"]["majorityDice"]
    assert f"simulate {kind_of(model)}" in card.intended_use
    assert f"{card.metrics['unseen']['dice']:.3f}" in card.intended_use
    assert card.license == "Apache-2.0"
    assert model.stat().st_size < 3e6
