"""Fuses every case of a study, each alone or with annotators estimated over all of them, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Case, Study
from NoisyLabelSegLib.cases.estimates import EstimateWriter
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.annotators import AnnotatorTable, CaseRecord
from NoisyLabelSegLib.fusion.methods import DEFAULT, Method, method_named
from NoisyLabelSegLib.fusion.model import Solution
from NoisyLabelSegLib.fusion.result import Fusion
from NoisyLabelSegLib.fusion.table import VoteTable
from NoisyLabelSegLib.fusion.votes import Votes
from NoisyLabelSegLib.output import output_folder
from NoisyLabelSegLib.progress import Report, silent, steps


@dataclass(frozen=True)
class Pool:
    """The votes (P, R) of all cases and the solution found for them together."""

    votes: NDArray[np.int16]
    found: Solution

    @classmethod
    def solve(cls, table: VoteTable, method: Method, options: Mapping[str, Any]) -> Pool:
        """Runs the method once on the pooled table."""
        return cls(table.votes, method.solve(table, options))

    def part(self, table: VoteTable) -> Solution:
        """The solution of one of the cases: its rows of the pool's, and its own voxels behind the confusion."""
        place = {votes.tobytes(): row for row, votes in enumerate(self.votes)}
        rows = [place[votes.tobytes()] for votes in table.votes]
        posterior = self.found.posterior[rows]
        counts = replace(table, known_values=self.found.values).confusion_counts(posterior)
        return replace(self.found, posterior=posterior, decided=self.found.decided[rows], counts=counts)


Map = Callable[[Callable[[Case], Any], Iterable[Case]], Iterable[Any]]
"""Like the built-in map: applies a function to every case and yields the results in order, perhaps in parallel."""


@dataclass(frozen=True)
class FusionPlan:
    """How a study is fused.

    pooled: whether annotators are judged over all cases together; only methods with `pools` do, the others never.
    confusion: whether each annotator's field of confusion matrices is written too.
    """

    method: str = DEFAULT
    options: Mapping[str, Any] = field(default_factory=dict)
    pooled: bool = True
    confusion: bool = False


def fuse_study(
    study: Study,
    folder: str | Path,
    plan: FusionPlan | None = None,
    *,
    run: Map = map,
    force: bool = False,
    report: Report = silent,
) -> AnnotatorTable:
    """Writes `<case id>/truth.nrrd`, `truth_probability.nrrd` and `annotators.csv`/`.json`; all of it or nothing.

    Cases that nobody labeled are left out and listed in the table that is returned.
    """
    plan = plan or FusionPlan()
    method = method_named(plan.method)
    study.require_files()
    labeled = replace(study, cases=tuple(case for case in study.cases if set(case.annotators) & set(study.annotators)))
    if not labeled.cases:
        raise UserError(f"No case of the study {study.name} has labels of these annotators")
    pooled = plan.pooled and method.pools and len(labeled.cases) > 1
    table = AnnotatorTable(labeled, plan.method, plan.options, pooled=pooled)
    table.left_out = [case.id for case in study.cases if not set(case.annotators) & set(study.annotators)]
    with output_folder(folder, force=force) as partial_folder:
        pool = _pool(labeled, plan, run, report) if pooled else None
        panel = replace(study, cases=())
        fused = run(partial(_fuse_case, panel, plan, pool, partial_folder), labeled.cases)
        for record in steps(fused, "fuse", report, total=len(labeled.cases)):
            table.add(record)
        table.write(partial_folder)
    return table


def _pool(study: Study, plan: FusionPlan, run: Map, report: Report) -> Pool:
    counted = run(partial(_count_case, replace(study, cases=())), study.cases)
    tables = steps(counted, "count votes", report, total=len(study.cases))
    return Pool.solve(VoteTable.pooled(tables), method_named(plan.method), plan.options)


def _count_case(panel: Study, case: Case) -> VoteTable:
    table = _votes(panel, case).table
    return VoteTable(table.votes, table.counts)


def _fuse_case(panel: Study, plan: FusionPlan, pool: Pool | None, folder: Path, case: Case) -> CaseRecord:
    """Fuses one case, writes its files and returns what the table of annotators needs."""
    votes = _votes(panel, case)
    fusion = votes.fuse(plan.method, **plan.options) if pool is None else votes.fused_as(pool.part(votes.table))
    shown = {
        number: name for number, name in enumerate(panel.annotators) if plan.confusion and name in case.annotations
    }
    _write(fusion, EstimateWriter(folder / case.id, case.geometry), shown)
    return CaseRecord(case.id, tuple(fusion.remarks), fusion.iterations, fusion.converged, fusion.confusion_counts)


def _votes(panel: Study, case: Case) -> Votes:
    """The votes of one case; `panel` is the study without its cases, which is all that travels to a worker."""
    return Votes(case.all_labels(panel.annotators), classes=len(panel.classes), names=panel.annotators)


def _write(fusion: Fusion, writer: EstimateWriter, confusion_of: Mapping[int, str]) -> None:
    """`confusion_of` maps the numbers of the annotators whose confusion fields are written to their names."""
    writer.write_truth(fusion.labels)
    writer.write_probabilities(fusion.probabilities)
    for number, name in confusion_of.items():
        writer.write_confusion(name, fusion.confusion_field(number))
