"""`noisylabelseg run`: does the job of a settings file, the same file that Slicer's panel gives its worker."""

from __future__ import annotations

import argparse
from typing import Any

from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.errors import UserError

SUMMARY = "Do the job of a settings file, as Slicer's worker would (see docs/jobs.md)."
EXAMPLE = "  noisylabelseg run job.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("settings", metavar="SETTINGS", help="a JSON file: which verb, on what, with which options")


def run(arguments: argparse.Namespace, terminal: Terminal) -> dict[str, Any]:
    from NoisyLabelSegLib.verbs import carry_out, read_settings

    settings = read_settings(arguments.settings)
    for problem in settings.problems():
        raise UserError(problem, file=arguments.settings)
    result = carry_out(settings, terminal.progress, terminal.say)
    terminal.say(f"Done: {settings.verb} into {settings.out}.")
    return result
