"""A model whose output is not a number writes nothing, and says so."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from NoisyLabelSegLib.cases import Geometry, Image, write_image
from NoisyLabelSegLib.cases.model_card import CARD, WEIGHTS, ModelCard
from NoisyLabelSegLib.cli import main
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.inference import load_model
from NoisyLabelSegLib.networks import Architecture, CoupledNetwork
from NoisyLabelSegLib.networks.package import load_package, save_package

Change = Callable[[dict[str, torch.Tensor]], object]


@pytest.fixture
def scan(tmp_path: Path) -> Path:
    image = np.random.default_rng(0).normal(size=(12, 12)).astype(np.float32)
    write_image(tmp_path / "scan.nrrd", Image(image, Geometry.plain(image.shape)))
    return tmp_path / "scan.nrrd"


@pytest.fixture
def make_model(tmp_path: Path) -> Callable[..., Path]:
    def make(change: Change | None = None, **preprocessing: object) -> Path:
        architecture = Architecture(dimensions=2, channels=1, classes=2, annotators=2, widths=(4,))
        network = CoupledNetwork(architecture)
        if change is not None:
            with torch.no_grad():
                change(dict(network.named_parameters()))
        card = ModelCard(architecture, ("background", "disk"), ("ann", "bob"), {"dimensions": 2})
        save_package(tmp_path / "model.nlseg", network, replace(card, preprocessing={"dimensions": 2, **preprocessing}))
        return tmp_path / "model.nlseg"

    return make


def overflowing(head: str) -> Change:
    """Weights that are numbers, but whose sums are not."""
    return lambda weights: [weights[f"{head}.{part}"].fill_(3e38) for part in ("weight", "bias")]


@pytest.mark.parametrize(("head", "flags"), [("truth_head", []), ("annotator_head", ["--annotators"])])
def test_an_output_that_is_not_a_number_is_refused_and_nothing_is_written(
    make_model: Callable[..., Path],
    scan: Path,
    capfd: pytest.CaptureFixture[str],
    head: str,
    flags: list[str],
) -> None:
    model, before = make_model(overflowing(head)), sorted(scan.parent.iterdir())
    assert main(["predict", str(model), str(scan), "--out", str(scan.parent / "out"), *flags]) == 2
    errors = capfd.readouterr().err
    assert "values that are not numbers" in errors
    assert errors.count("\n") == 1
    assert sorted(scan.parent.iterdir()) == before


def test_a_model_of_which_only_the_annotators_overflow_still_predicts_the_truth(
    make_model: Callable[..., Path], scan: Path
) -> None:
    model = make_model(overflowing("annotator_head"))
    assert main(["predict", str(model), str(scan), "--out", str(scan.parent / "out")]) == 0


@pytest.mark.parametrize(
    "preprocessing",
    [
        {"spacing": [1e-300, 1.0]},
        {"spacing": [1e-5, 1e-5]},
        {"spacing": [1e400, 1.0]},
        {"normalization": "window", "window": [-1e400, 1e400]},
        {"normalization": "window", "window": [0, 1e400]},
    ],
)
def test_a_spacing_or_window_that_makes_no_sense_is_refused(
    make_model: Callable[..., Path], scan: Path, preprocessing: dict[str, object], capfd: pytest.CaptureFixture[str]
) -> None:
    model = make_model()
    load_package(model)  # as it is, it can be used
    with zipfile.ZipFile(model) as archive:
        card, weights = json.loads(archive.read(CARD)), archive.read(WEIGHTS)
    card["preprocessing"].update(preprocessing)
    text = json.dumps(card).replace("-Infinity", "-1e400").replace("Infinity", "1e400")
    with zipfile.ZipFile(model, "w") as archive:
        archive.writestr(CARD, text)
        archive.writestr(WEIGHTS, weights)
    assert main(["predict", str(model), str(scan), "--out", str(scan.parent / "out")]) == 2
    assert capfd.readouterr().err.count("\n") == 1
    assert not (scan.parent / "out").exists()


def test_arrays_are_checked_like_files(make_model: Callable[..., Path]) -> None:
    model = load_model(make_model(overflowing("truth_head")), device="cpu")
    with pytest.raises(UserError, match="values that are not numbers"):
        model.predict(np.random.default_rng(0).normal(size=(12, 12)))
