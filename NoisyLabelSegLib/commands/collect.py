"""`noisylabelseg collect`: checks what readers sent back and adds it to a study."""

from __future__ import annotations

import argparse
from typing import Any

from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.verbs import carry_out
from NoisyLabelSegLib.verbs.collect import CollectSettings

SUMMARY = "Check the packages that readers sent back, resolve pseudonyms and add their labels to a study."
EXAMPLE = """  noisylabelseg collect packages --out my-study
  noisylabelseg collect from-anna.zip from-bert --key packages/key.json --out my-study

Next:  noisylabelseg agree my-study --out agreement"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "places",
        nargs="+",
        metavar="DIR",
        help="a folder or zip file that a reader sent back, or the folder of the hand-out that holds all of them",
    )
    parser.add_argument(
        "--out",
        required=True,
        metavar="STUDY",
        help="folder of the study that was handed out, to which labels are added, or a new folder",
    )
    parser.add_argument(
        "--key", default="", metavar="FILE", help="key.json of the hand-out (default: the one in or beside DIR)"
    )


def run(arguments: argparse.Namespace, terminal: Terminal) -> dict[str, Any]:
    settings = CollectSettings(places=tuple(arguments.places), out=arguments.out, key=arguments.key)
    result = carry_out(settings, terminal.progress, terminal.say)
    rows = result["progress"]
    columns = [name.replace("_", " ") for name in rows[0]]
    cells = [["–" if value is None else value for value in row.values()] for row in rows]
    terminal.table("Readings by state", columns, cells)
    counts = f"{result['added']} new readings, {result['replaced']} new versions, {result['unchanged']} unchanged"
    terminal.say(
        f"Wrote {arguments.out}/study.json: {counts}. Next: noisylabelseg agree {arguments.out} --out agreement"
    )
    return result
