"""`noisylabelseg check`: opens everything a study names and says whether it can be worked with."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.errors import UserError, naming
from NoisyLabelSegLib.words import counted

if TYPE_CHECKING:
    from NoisyLabelSegLib.cases import Case
    from NoisyLabelSegLib.cases.label_findings import Marked

SUMMARY = "Open every file of a study and say whether it can be worked with."
EXAMPLE = """  noisylabelseg check my-study/study.json

Next:  noisylabelseg fuse my-study --out fused"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("study", metavar="STUDY", help="a study.json or the folder that holds it")


def run(arguments: argparse.Namespace, terminal: Terminal) -> dict[str, Any]:
    from NoisyLabelSegLib.cases import Study
    from NoisyLabelSegLib.cases.label_findings import label_findings
    from NoisyLabelSegLib.cases.terminology import require_codes
    from NoisyLabelSegLib.progress import steps

    study = Study.read(arguments.study)
    found = {error.file: error for error in study.missing_files()}
    try:
        with naming(Path(arguments.study)):
            require_codes(study.extra.get("codes", {}), study.classes)
    except UserError as wrong:
        found[wrong.file] = wrong
    marked: list[Marked] = []
    for case in steps(study.cases, "check", terminal.progress):
        for error in _problems(case, marked):
            found.setdefault(error.file, error)
    _refuse(list(found.values()), study.name, terminal)
    counts = {name: sum(name in case.annotations for case in study.cases) for name in study.annotators}
    terminal.table("Cases per annotator", ["annotator", "cases"], counts.items())
    cases = counted(len(study.cases), "case")
    terminal.say(f"{study.name}: {cases}, classes {', '.join(study.classes)}; every file can be read.")
    findings = label_findings(marked, study.classes)
    for sentence in findings:
        terminal.say(f"Note: {sentence}")
    return {"study": study.name, "cases": len(study.cases), "annotations": counts, "findings": findings}


def _problems(case: Case, marked: list[Marked]) -> Iterator[UserError]:
    """What is wrong with the images, each annotator's labels and the truth; adds what the annotators marked."""
    from NoisyLabelSegLib.cases.label_findings import Marked
    from NoisyLabelSegLib.cases.label_values import marked_values

    def look(name: str) -> None:
        marked.append(Marked(case.id, name, marked_values(case.readings(name)[0])))

    parts: list[Callable[[], object]] = [case.image] if case.images else []
    parts += [*(partial(look, name) for name in case.annotators), case.truth]
    for read in parts:
        try:
            read()
        except UserError as error:
            yield error


def _refuse(found: list[UserError], study: str, terminal: Terminal) -> None:
    if len(found) == 1:
        raise found[0]
    for error in found:
        terminal.say(error.sentence)
    if found:
        raise UserError(f"{len(found)} files of the study {study} cannot be used", remedy="correct those named above")
