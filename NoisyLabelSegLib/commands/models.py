"""`noisylabelseg models`: which model packages there are and what they are for."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.errors import UserError

if TYPE_CHECKING:
    from NoisyLabelSegLib.cases.model_card import Listed

SUMMARY = "List model packages, or describe one."
EXAMPLE = """  noisylabelseg models
  noisylabelseg models my-run/model.nlseg

Next:  noisylabelseg predict MODEL scan.nrrd --out predicted"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "places",
        nargs="*",
        metavar="PACKAGE_OR_FOLDER",
        help="where to look (default: here, and what comes with the program)",
    )


def run(arguments: argparse.Namespace, terminal: Terminal) -> dict[str, Any]:
    from NoisyLabelSegLib.cases.model_card import list_models

    found = {item.path.resolve(): item for item in list_models(arguments.places)}  # once, by the shorter of two paths
    listed = list(found.values())
    if len(arguments.places) == 1 and len(listed) == 1:
        if listed[0].card is None:
            raise UserError(listed[0].problem)
        terminal.table(str(listed[0].path), ["what", "value"], _description(listed[0]))
    else:
        terminal.table("Model packages", ["package", "classes", "annotators", "input", "trained on"], map(_row, listed))
    if not listed:
        terminal.say("No model package was found; train one with: noisylabelseg train STUDY --out RUN")
    return {"models": [_as_json(item) for item in listed]}


def _row(item: Listed) -> list[str]:
    if item.card is None:
        return [str(item.path), item.problem, "", "", ""]
    card = item.card
    return [str(item.path), ", ".join(card.classes), ", ".join(card.annotators), card.input, card.trained_on]


def _description(item: Listed) -> list[list[str]]:
    card = item.card
    assert card is not None
    training = card.metrics.get("training", {})
    figures = training.items() if isinstance(training, dict) else []
    return [
        ["classes", ", ".join(card.classes)],
        ["annotators", ", ".join(card.annotators)],
        ["input", card.input],
        [
            "network",
            f"{card.architecture.trunk} {list(card.architecture.widths)}, {card.architecture.confusion} matrices",
        ],
        *[[f"trained: {name}", str(value)] for name, value in card.provenance.items()],
        *[[f"metric: {name}", str(value)] for name, value in figures],
        ["intended use", card.intended_use],
        *[[f"for: {name}", str(value)] for name, value in card.scope.items()],
        *[[str(title), str(text)] for title, text in card.details.items()],
        ["license", card.license],
    ]


def _as_json(item: Listed) -> dict[str, Any]:
    if item.card is None:
        return {"path": str(item.path), "problem": item.problem}
    return {"path": str(item.path), **item.card.to_json()}
