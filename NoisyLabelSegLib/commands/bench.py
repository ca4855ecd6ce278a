"""`noisylabelseg bench`: the performance figures that the README quotes."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path
from typing import Any

from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.errors import UserError

SUMMARY = "Measure the figures the README quotes, as ratios against a named rival in one run."
EXAMPLE = "  noisylabelseg bench fusion"

EXPERIMENTS = Path(__file__).resolve().parent.parent / "experiments"
BENCHES = sorted(path.stem.removeprefix("bench_").replace("_", "-") for path in EXPERIMENTS.glob("bench_*.py"))
"""Each file `experiments/bench_<name>.py` has `SUMMARY` and `run(terminal, options) -> dict`."""
BY_NAME_ONLY = ("accuracy", "asking", "fusion-evidence")
"""Experiments that take long and run only when they are named."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    names = ", ".join(BENCHES)
    parser.add_argument("name", nargs="?", metavar="NAME", help=f"one of {names}; without it, the quicker ones")
    parser.add_argument("--repeats", type=int, default=5, help="how often each side is timed (default %(default)s)")
    accuracy = parser.add_argument_group("for accuracy")
    accuracy.add_argument("--study", metavar="NAME", help="one of its studies, or curves; without it, all of them")
    accuracy.add_argument("--method", action="append", metavar="NAME", help="only this method; may be repeated")
    accuracy.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2], help="which seeds (default 0 1 2)")
    accuracy.add_argument("--out", default="accuracy", metavar="DIR", help="a JSON file per run (default %(default)s)")
    accuracy.add_argument("--data", default="../shared/data", metavar="DIR", help="the real data (default %(default)s)")
    accuracy.add_argument("--set", nargs="+", default=[], metavar="KEY=VALUE", help="change the preset, to try things")


def run(arguments: argparse.Namespace, terminal: Terminal) -> dict[str, Any]:
    if arguments.name is not None and arguments.name not in BENCHES:
        raise UserError(f"There is no benchmark {arguments.name!r}", remedy=f"choose one of {', '.join(BENCHES)}")
    results = {}
    for name in [arguments.name] if arguments.name else [name for name in BENCHES if name not in BY_NAME_ONLY]:
        module = importlib.import_module(f"NoisyLabelSegLib.experiments.bench_{name.replace('-', '_')}")
        terminal.say(module.SUMMARY)
        results[name] = module.run(terminal, arguments)
    return results
