"""Fuses every case of a study, each alone or with annotators estimated over all of them, in bounded memory."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from NoisyLabelSegLib.cases import Case, Study
from NoisyLabelSegLib.cases.estimates import EstimateWriter, require_apart
from NoisyLabelSegLib.cases.finished_cases import remembering, run_key
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.failures import Failures
from NoisyLabelSegLib.fusion.annotators import AnnotatorTable, CaseOutcome, CaseRecord
from NoisyLabelSegLib.fusion.leave_one_out import FusedFrom
from NoisyLabelSegLib.fusion.methods import method_named
from NoisyLabelSegLib.fusion.result import Fusion
from NoisyLabelSegLib.fusion.study_fuser import FusionPlan, StudyFuser
from NoisyLabelSegLib.metrics.figures import voxels_near
from NoisyLabelSegLib.output import FINISHED, output_folder
from NoisyLabelSegLib.progress import Map, Report, silent, steps

__all__ = ["FusionPlan", "fuse_study"]


def fuse_study(
    study: Study,
    folder: str | Path,
    plan: FusionPlan | None = None,
    *,
    run: Map = map,
    force: bool = False,
    keep_going: bool = False,
    report: Report = silent,
) -> AnnotatorTable:
    """Writes `<case id>/truth.nrrd`, `truth_probability.nrrd` and `annotators.csv`/`.json`; all of it or nothing.

    A run that was killed or interrupted is gone on with where the same labels are fused into the same folder again.
    Cases that nobody labeled are left out and listed in the table that is returned; with `keep_going` so are cases with
    unusable files, which otherwise end the work.
    """
    plan = plan or FusionPlan()
    method_named(plan.method)  # before any file is read
    failures = Failures(keep_going)
    if not keep_going:
        study.require_files()
    labeled = replace(study, cases=tuple(case for case in study.cases if set(case.annotators) & set(study.annotators)))
    if not labeled.cases:
        raise UserError(f"No case of the study {study.name} has labels of these annotators")
    require_apart(study.cases, folder)
    key = run_key(labeled, "fuse", plan, keep_going)
    with output_folder(folder, force=force, key=key) as partial_folder:
        run = remembering(run, partial_folder / FINISHED)
        fuser = StudyFuser.prepare(labeled, plan, run=run, report=report, failures=failures)
        cases = failures.without(labeled.cases)
        fused = run(failures.guard(partial(_fuse_case, fuser, partial_folder)), cases)
        records = list(failures.sift(steps(fused, "fuse", report, total=len(cases))))
        usable = replace(labeled, cases=failures.without(cases))
        table = AnnotatorTable(usable, plan.method, plan.options, pooled=fuser.pool is not None)
        table.left_out = [case.id for case in study.cases if not set(case.annotators) & set(study.annotators)]
        table.failed = failures.found
        for record in records:
            table.add(record)
        table.write(partial_folder)
    return table


def _fuse_case(fuser: StudyFuser, folder: Path, case: Case) -> CaseRecord:
    """Fuses one case, writes its files and returns what the table of annotators needs."""
    votes = fuser.votes(case)
    fusion = fuser.fuse(votes)
    shown = {number: votes.names[number] for number in votes.present} if fuser.plan.confusion else {}
    _write(fusion, EstimateWriter(folder / case.id, case.geometry), shown)
    region = voxels_near(votes.marked(), case.geometry.spacing_zyx)
    unmarked = int(votes.table.counts[0])
    near = region - (math.prod(case.geometry.shape) - unmarked)
    return CaseRecord(
        CaseOutcome(case.id, tuple(fusion.remarks), fusion.iterations, fusion.converged),
        counts=votes.counts_against(fusion),
        expected=fusion.confusion_counts_with(near),
        region=region,
        beyond=max(unmarked - near, 0),
        fused_from=FusedFrom.of(votes, fuser.leave_one_out(votes)),
    )


def _write(fusion: Fusion, writer: EstimateWriter, confusion_of: Mapping[int, str]) -> None:
    """`confusion_of` maps the numbers of the annotators whose confusion fields are written to their names."""
    writer.write_truth(fusion.labels)
    writer.write_probability_slabs(fusion.probability_rows, len(fusion.confusion[0]))
    for number, name in confusion_of.items():
        writer.write_confusion(name, fusion.confusion_field(number))
