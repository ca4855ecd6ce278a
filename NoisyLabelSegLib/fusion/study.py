"""Fuses every case of a study, one after the other or through any `map`, in memory that does not grow with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from NoisyLabelSegLib.cases import Case, Study, write_components, write_labels
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.annotators import AnnotatorTable, CaseRecord
from NoisyLabelSegLib.fusion.methods import method_named
from NoisyLabelSegLib.fusion.pooling import Pool
from NoisyLabelSegLib.fusion.result import Fusion
from NoisyLabelSegLib.fusion.table import VoteTable
from NoisyLabelSegLib.fusion.votes import Votes
from NoisyLabelSegLib.output import output_folder
from NoisyLabelSegLib.progress import Report, silent, steps

Map = Callable[[Callable[[Case], Any], Iterable[Case]], Iterable[Any]]
"""Like the built-in map: applies a function to every case and yields the results in order, perhaps in parallel."""


@dataclass(frozen=True)
class Job:
    """How a study is fused.

    pooled: whether annotators are judged over all cases together; only methods with `pools` do, the others never.
    confusion: whether each annotator's field of confusion matrices is written too.
    """

    method: str = "staple"
    options: Mapping[str, Any] = field(default_factory=dict)
    pooled: bool = True
    confusion: bool = False


def fuse_study(
    study: Study,
    folder: str | Path,
    job: Job | None = None,
    *,
    run: Map = map,
    force: bool = False,
    report: Report = silent,
) -> AnnotatorTable:
    """Writes `<case id>/truth.nrrd`, `truth_probability.nrrd` and `annotators.csv`/`.json`; all of it or nothing.

    Cases that nobody labelled are left out and listed in the table that is returned.
    """
    job = job or Job()
    method = method_named(job.method)
    study.require_files()
    labelled = replace(study, cases=tuple(case for case in study.cases if set(case.annotators) & set(study.annotators)))
    if not labelled.cases:
        raise UserError(f"No case of the study {study.name} has labels of these annotators")
    pooled = job.pooled and method.pools and len(labelled.cases) > 1
    table = AnnotatorTable(labelled, job.method, job.options, pooled=pooled)
    table.left_out = [case.id for case in study.cases if not set(case.annotators) & set(study.annotators)]
    with output_folder(folder, force=force) as partial_folder:
        pool = _pool(labelled, job, run, report) if pooled else None
        panel = replace(study, cases=())
        fused = run(partial(_fuse_case, panel, job, pool, partial_folder), labelled.cases)
        for record in steps(fused, "fuse", report, total=len(labelled.cases)):
            table.add(record)
        table.write(partial_folder)
    return table


def _pool(study: Study, job: Job, run: Map, report: Report) -> Pool:
    counted = run(partial(_count_case, replace(study, cases=())), study.cases)
    tables = steps(counted, "count votes", report, total=len(study.cases))
    return Pool.solve(VoteTable.pooled(tables), method_named(job.method), job.options)


def _count_case(panel: Study, case: Case) -> VoteTable:
    table = _votes(panel, case).table
    return VoteTable(table.votes, table.counts)


def _fuse_case(panel: Study, job: Job, pool: Pool | None, folder: Path, case: Case) -> CaseRecord:
    """Fuses one case, writes its files and returns what the table of annotators needs."""
    votes = _votes(panel, case)
    fusion = votes.fuse(job.method, **job.options) if pool is None else votes.fused_as(pool.part(votes.table))
    _write(fusion, case, panel.annotators, folder / case.id, confusion=job.confusion)
    return CaseRecord(case.id, tuple(fusion.remarks), fusion.iterations, fusion.converged, fusion.confusion_counts)


def _votes(panel: Study, case: Case) -> Votes:
    """The votes of one case; `panel` is the study without its cases, which is all that travels to a worker."""
    return Votes(case.all_labels(panel.annotators), classes=len(panel.classes), names=panel.annotators)


def _write(fusion: Fusion, case: Case, annotators: tuple[str, ...], folder: Path, *, confusion: bool) -> None:
    write_labels(folder / "truth.nrrd", fusion.labels, case.geometry)
    write_components(folder / "truth_probability.nrrd", fusion.probabilities, case.geometry)
    for number, name in enumerate(annotators):
        if confusion and name in case.annotations:
            entries = fusion.confusion_field(number)
            flat = entries.reshape(-1, *entries.shape[2:])
            write_components(folder / f"confusion_{name}.nrrd", flat, case.geometry)
