"""`noisylabelseg models`: which model packages there are and what they are for."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.resources import resource_path

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
    name = item.path.stem if item.path.parent == resource_path("models") else str(item.path)
    if item.card is None:
        return [name, item.problem, "", "", ""]
    card = item.card
    return [name, ", ".join(card.classes), ", ".join(card.annotators), card.input, card.trained_on]


def _description(item: Listed) -> list[list[str]]:
    """What a user must know first, then what the model takes and gives, then how it was made."""
    card = item.card
    assert card is not None
    training = card.metrics.get("training", {})
    figures = training.items() if isinstance(training, dict) else []
    rows = [
        ["intended use", card.intended_use],
        ["made for", _made_for(card.scope)],
        ["input", card.input],
        ["classes", ", ".join(card.classes)],
        ["annotators", ", ".join(card.annotators)],
        *[[str(title), str(text)] for title, text in card.details.items()],
        ["license", card.license],
        [
            "network",
            f"{card.architecture.trunk} {list(card.architecture.widths)}, {card.architecture.confusion} matrices",
        ],
        *[[f"trained: {_in_words(name)}", _value(value)] for name, value in card.provenance.items()],
        *[[f"training figure: {_in_words(name)}", _value(value)] for name, value in figures],
    ]
    return [row for row in rows if row[1]]


def _made_for(scope: Mapping[str, Any]) -> str:
    """The scans that the model is for, in words; empty for a card that does not say."""
    parts = [str(scope["modality"])] if "modality" in scope else []
    if "spacing" in scope:
        low, high = scope["spacing"]
        parts.append(f"pixels of {low:g} to {high:g} mm")
    if "object" in scope:
        parts.append(f"one {scope['object']} at a time, around a point or in a box that you give")
    if "edge" in scope:
        parts.append(f"at most {scope['edge']} pixels wide")
    return "; ".join(parts)


def _in_words(name: str) -> str:
    """A key of JSON as words: labelsPerAnnotator is "labels per annotator"."""
    return re.sub("(?<=[a-z])([A-Z])", lambda found: f" {found[1].lower()}", name)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_value(each)}" for name, each in value.items())
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _as_json(item: Listed) -> dict[str, Any]:
    if item.card is None:
        return {"path": str(item.path), "problem": item.problem}
    return {"path": str(item.path), **item.card.to_json()}
