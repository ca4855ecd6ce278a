"""`bench accuracy`: the coupled networks against every baseline by a protocol; a finished training is kept."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.accuracy_protocol import EXPERTS, METHODS, SIMULATED, Run, plan
from benchmarks.accuracy_records import Records
from benchmarks.accuracy_runs import measure, simulated_study, words_of
from benchmarks.results_page import summary_rows
from NoisyLabelSegLib.commands.parallel import parallel_map
from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.progress import steps

SUMMARY = "Accuracy of the coupled networks and every baseline on held-out cases, by the protocol of docs/results.md."
STUDIES = (*SIMULATED, *EXPERTS, "lidc")


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--study", action="append", choices=STUDIES, help="only this study; may be repeated")
    parser.add_argument("--method", action="append", choices=METHODS, help="only this method; may be repeated")
    parser.add_argument("--panel", choices=("paper", "imperfect"), help="of generated studies only this panel")
    parser.add_argument("--labels", choices=("all", "one"), help="only everybody's labels, or one per image")
    parser.add_argument("--seeds", type=int, nargs="+", help="only these seeds (of experts: folds)")
    parser.add_argument("--out", default="accuracy", metavar="DIR", help="a file of records per study (%(default)s)")
    parser.add_argument("--work", metavar="DIR", help="generated studies (default: the folder studies in --out)")
    parser.add_argument("--data", metavar="DIR", help="the folder of the real data, which the repository does not have")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="trainings side by side (default %(default)s)")
    parser.add_argument("--most", type=int, metavar="N", help="stop after so many trainings")
    parser.add_argument("--list", action="store_true", help="only print what is measured and what is missing")


def run(terminal: Terminal, options: argparse.Namespace) -> dict[str, Any]:
    if options.jobs < 1:
        raise UserError(f"--jobs {options.jobs} leaves nobody to work", remedy="give 1 or more")
    runs = list(_chosen(options))
    if options.data is None and not options.list and any(item.study not in SIMULATED for item in runs):
        raise UserError(
            f"The studies {', '.join(EXPERTS)} and lidc need real data, which the repository does not have",
            remedy="name their folder with --data, or choose other studies with --study",
        )
    records = Records(Path(options.out))
    missing = [item for item in runs if not _is_measured(item, records)]
    if not options.list:
        _measure(missing[: options.most], records, options, terminal)
        missing = [item for item in runs if records.get(item.key) is None]
    terminal.table("held-out cases", ["study", "panel", "labels", "method", "trainings", "Dice"], summary_rows(records))
    terminal.say(f"{len(runs) - len(missing)} of {len(runs)} trainings are measured.")
    return {"measured": len(runs) - len(missing), "missing": [item.key for item in missing]}


def _chosen(options: argparse.Namespace) -> Iterator[Run]:
    for item in dict.fromkeys(plan()):
        wanted = (
            (options.study, item.study),
            (options.method, item.method),
            (options.panel and [options.panel], item.panel),
            (options.labels and [options.labels], item.labels),
            (options.seeds, item.seed),
        )
        if all(allowed is None or value in allowed for allowed, value in wanted):
            yield item


def _is_measured(item: Run, records: Records) -> bool:
    record = records.get(item.key)
    if record is not None and record["words"] != list(words_of(item)):
        raise UserError(f"{item.key} was measured with other settings", remedy="choose another --out")
    return record is not None


def _measure(runs: Sequence[Run], records: Records, options: argparse.Namespace, terminal: Terminal) -> None:
    work, data = Path(options.work or Path(options.out) / "studies"), Path(options.data or ".")
    if options.jobs > 1:
        for item in runs:  # before two processes would make the same study
            if item.study in SIMULATED:
                simulated_study(item, work)
    found = parallel_map(options.jobs)(partial(measure, work=work, data=data), runs)
    for record in steps(found, "accuracy", terminal.progress, total=len(runs)):
        records.add(record)
