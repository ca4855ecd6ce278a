"""`noisylabelseg check`: opens everything a study names and says whether it can be worked with."""

from __future__ import annotations

import argparse
from typing import Any

from NoisyLabelSegLib.commands.terminal import Terminal

SUMMARY = "Open every file of a study and say whether it can be worked with."
EXAMPLE = "  noisylabelseg check my-study/study.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("study", metavar="STUDY", help="a study.json or the folder that holds it")


def run(arguments: argparse.Namespace, terminal: Terminal) -> dict[str, Any]:
    from NoisyLabelSegLib.cases import Study
    from NoisyLabelSegLib.progress import steps

    study = Study.read(arguments.study)
    study.require_files()
    for case in steps(study.cases, "check", terminal.progress):
        if case.images:
            case.image()
        case.all_labels(study.annotators)
        case.truth()
    counts = {name: sum(name in case.annotations for case in study.cases) for name in study.annotators}
    terminal.table("Cases per annotator", ["annotator", "cases"], counts.items())
    terminal.say(f"{study.name}: {len(study.cases)} cases, classes {', '.join(study.classes)}; every file can be read.")
    return {"study": study.name, "cases": len(study.cases), "annotations": counts}
