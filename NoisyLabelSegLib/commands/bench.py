"""`noisylabelseg bench`: the performance figures that the README quotes."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.resources import repository_path

SUMMARY = "Measure the figures the README quotes, as ratios against a named rival in one run."
EXAMPLE = "  noisylabelseg bench fusion"

REPOSITORY = Path(__file__).resolve().parents[2]
BENCHES = sorted(
    path.stem.removeprefix("bench_").replace("_", "-") for path in (REPOSITORY / "benchmarks").glob("bench_*.py")
)
"""Each file `benchmarks/bench_<name>.py` has `SUMMARY` and `run(terminal, options) -> dict`, and, if it has options of
its own, `add_options(parser)`."""
BY_NAME_ONLY = ("accuracy", "asking", "atlases", "fusion-table", "labels", "scale")
"""Experiments that take long and run only when they are named; all but `scale` score and do not time."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    names = ", ".join(BENCHES)
    parser.add_argument("name", nargs="?", metavar="NAME", help=f"one of {names}; without it, the quicker ones")


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """The options of the benchmark that is named in the words; its module is imported for them, the others are not."""
    name = next((word for word in words if word in BENCHES), None)
    if name not in BY_NAME_ONLY:
        parser.add_argument("--repeats", type=int, default=5, help="how often each side is timed (default %(default)s)")
    if name is None:
        return
    module = _module(name)
    parser.description = module.SUMMARY
    parser.epilog = f"example:\n  noisylabelseg bench {name}"
    if hasattr(module, "add_options"):
        module.add_options(parser)


def run(arguments: argparse.Namespace, terminal: Terminal) -> dict[str, Any]:
    repository_path("benchmarks", needed_by="bench")
    if arguments.name is not None and arguments.name not in BENCHES:
        raise UserError(f"There is no benchmark {arguments.name!r}", remedy=f"choose one of {', '.join(BENCHES)}")
    if getattr(arguments, "repeats", 1) < 1:
        raise UserError("--repeats must be 1 or more")
    results = {}
    for name in [arguments.name] if arguments.name else [name for name in BENCHES if name not in BY_NAME_ONLY]:
        module = _module(name)
        terminal.say(module.SUMMARY)
        results[name] = module.run(terminal, arguments)
    return results


def _module(name: str) -> ModuleType:
    if str(REPOSITORY) not in sys.path:
        sys.path.insert(0, str(REPOSITORY))
    return importlib.import_module(f"benchmarks.bench_{name.replace('-', '_')}")
