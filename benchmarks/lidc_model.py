"""Makes the nodule model of Resources/models from LIDC-IDRI: python -m benchmarks.lidc_model DATA OUT"""

from __future__ import annotations

import argparse
import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from benchmarks.lidc_card import details
from benchmarks.lidc_nodules import read_slices, study_of
from benchmarks.lidc_scores import scores
from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.inference import load_model
from NoisyLabelSegLib.networks.package import load_package, save_package
from NoisyLabelSegLib.progress import Report
from NoisyLabelSegLib.training import train_study
from NoisyLabelSegLib.training.settings import preset

NAME = "lidc-nodules.nlseg"
EDGE = 64
"""Pixels of the square around a nodule that the model sees; instance norm makes larger ones less accurate."""

AROUND = 80
"""Pixels of the squares that the crops of training are taken from, at random places."""

SETTINGS = Path(__file__).with_suffix(".json")
"""Every setting of the training, 2,000 steps, whatever the defaults are."""

SCOPE = {"modality": "CT", "spacing": [0.4, 1.0], "object": "nodule", "edge": EDGE}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder lidc-nodules-2d-large")
    parser.add_argument("out", type=Path, help="the folder for the model")
    parser.add_argument("--package", type=Path, help="a package that was trained already: only score it")
    parser.add_argument(
        "--target", default="coupled", help="train this learner by the same settings, to compare: only print its scores"
    )
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # other numbers of threads add in another order, and the weights would differ a little
    with Terminal() as terminal, tempfile.TemporaryDirectory() as folder:
        package = arguments.package or trained(arguments.data, Path(folder), arguments.target, terminal.progress)
        if arguments.target == "coupled":
            terminal.say(finished(package, arguments.data, arguments.out / NAME, terminal.progress))
        else:
            terminal.say(json.dumps(tested(package, arguments.data, terminal.progress), indent=1))


def trained(data: Path, folder: Path, target: str, report: Report) -> Path:
    """The package of the last step."""
    study = study_of({part: read_slices(data, part).centered(AROUND) for part in ("train", "validate")})
    settings = preset(str(SETTINGS)).with_words((f"target={target}",))
    return train_study(study, folder / "run", settings, report=report).package


def tested(package: Path, data: Path, report: Report) -> dict[str, Any]:
    """The scores on the test patients."""
    return scores(load_model(package, "cpu"), read_slices(data, "test").centered(EDGE), report)


def finished(package: Path, data: Path, path: Path, report: Report) -> str:
    """Scores the package on the test patients, writes it with its card, and returns what the card says of it."""
    network, card = load_package(package)
    found = tested(package, data, report)
    card = replace(
        card,
        metrics={**card.metrics, "testPatients": found},
        intended_use=(
            "Research: outlines a lung nodule in chest CT around a point or in a box that a person gives, and shows "
            "where four radiologists would likely differ. It does not find nodules and is not a medical device."
        ),
        license="Apache-2.0 (weights and code); trained on LIDC-IDRI, CC BY 3.0",
        scope=SCOPE,
        details=details(found),
    )
    save_package(path, network, card)
    return str(card.details["metrics"])


if __name__ == "__main__":
    main()
