"""`noisylabelseg handout`: blinded packages for readers, without a server."""

from __future__ import annotations

import argparse
from typing import Any

from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.verbs import carry_out
from NoisyLabelSegLib.verbs.handout import HandoutSettings

SUMMARY = "Make one blinded package per reader: random order, pseudonyms, hidden repeats, empty labels, a worklist."
EXAMPLE = """  noisylabelseg handout my-study --readers anna,bert,carla --out packages
  noisylabelseg handout my-study --readers anna,bert --repeats 0.2 --zip --out packages

Next:  send packages/anna to anna; when it is back: noisylabelseg collect packages --out my-study"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("study", metavar="STUDY", help="a study.json or the folder that holds it")
    parser.add_argument("--readers", required=True, metavar="NAMES", help="who gets a package, joined by commas")
    parser.add_argument("--out", required=True, metavar="DIR", help="folder for the packages and key.json")
    parser.add_argument("--force", action="store_true", help="replace files of the same name in DIR")
    parser.add_argument(
        "--repeats",
        type=float,
        default=0.1,
        metavar="SHARE",
        help="share of cases that each reader is given a second time without being told (default %(default)s)",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="makes the same packages again (default: random)")
    parser.add_argument("--split", default="", metavar="NAME", help="only the cases of this split")
    parser.add_argument("--zip", action="store_true", help="make zip files instead of folders")


def run(arguments: argparse.Namespace, terminal: Terminal) -> dict[str, Any]:
    settings = HandoutSettings(
        study=arguments.study,
        readers=tuple(name.strip() for name in arguments.readers.split(",") if name.strip()),
        out=arguments.out,
        repeats=arguments.repeats,
        seed=arguments.seed,
        zipped=arguments.zip,
        split=arguments.split,
        force=arguments.force,
    )
    result = carry_out(settings, terminal.progress, terminal.say)
    terminal.table("Packages", ["reader", "cases to read"], result["readings"].items())
    return result
