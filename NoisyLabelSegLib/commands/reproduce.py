"""`noisylabelseg reproduce`: the tables and figures of the paper, beside what is found here."""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.resources import repository_path

SUMMARY = "Repeat a table or figure of the paper, with its values beside those found here."
EXAMPLE = """  noisylabelseg reproduce --list
  noisylabelseg reproduce dense --out paper --quick

Next: read paper/dense.md, or repeat it without --quick; a training that is finished is not repeated"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="what to repeat; --list names everything")
    parser.add_argument("--list", action="store_true", help="list the tables and figures of the paper, and stop")
    parser.add_argument("--out", metavar="DIR", help="the folder for tables, pictures and one record per training")
    parser.add_argument(
        "--quick", action="store_true", help="small data and short trainings: at most five minutes on two cores"
    )
    parser.add_argument(
        "--data", metavar="DIR", help="the folder of real data (LIDC-IDRI, MR of MS); without it phantoms stand in"
    )


def run(arguments: argparse.Namespace, terminal: Terminal) -> dict[str, Any]:
    repository_path("benchmarks", needed_by="reproduce")
    experiments = _module("experiments")
    if arguments.list:
        return _list(experiments, terminal)
    names = ", ".join(item.name for item in experiments.EXPERIMENTS)
    if arguments.name is None:
        raise UserError("No table or figure of the paper is named", remedy=f"name one of {names}")
    found = experiments.experiment(arguments.name)
    if found is None:
        raise UserError(f"There is no table or figure {arguments.name!r}", remedy=f"choose one of {names}")
    if arguments.out is None:
        raise UserError("No folder is named for the results", remedy="name one with --out DIR")
    data = None if arguments.data is None else Path(arguments.data)
    if data is not None and not data.is_dir():
        raise UserError("is not a folder", file=data, remedy="give the folder of the real data, or leave out --data")
    out = Path(arguments.out) / ("quick" if arguments.quick else "full")
    trainings = _module("trainings").Trainings(out, arguments.quick, data, terminal)
    outcome = _module(found.module).run(found.name, trainings)
    result: dict[str, Any] = outcome.written(found.name, out, terminal)
    return result


def _list(experiments: ModuleType, terminal: Terminal) -> dict[str, Any]:
    rows = [(item.name, item.of_the_paper, item.shows) for item in experiments.EXPERIMENTS]
    terminal.table("The paper's tables and figures", ["name", "of the paper", "shows"], rows)
    for sentence in experiments.NOT_MEASURED:
        terminal.say(sentence)
    return {"experiments": [item.name for item in experiments.EXPERIMENTS]}


def _module(name: str) -> ModuleType:
    repository = str(Path(__file__).resolve().parents[2])
    if repository not in sys.path:
        sys.path.insert(0, repository)
    return importlib.import_module(f"benchmarks.paper.{name}")
