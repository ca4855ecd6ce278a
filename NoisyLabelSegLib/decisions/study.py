"""Adjudicates every case of a study and writes the truths with the record of how they came about."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from NoisyLabelSegLib.cases import Case, Study, read_labels, write_labels
from NoisyLabelSegLib.cases.estimates import TRUTH, EstimateWriter, require_apart
from NoisyLabelSegLib.decisions.adjudication import AdjudicatedCase, Labels, adjudicate_case, labels_digest
from NoisyLabelSegLib.decisions.record import Conflict, Decision, Decisions
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.output import csv_text, output_folder, write_text
from NoisyLabelSegLib.progress import Report, silent, steps

DECISIONS, DISAGREEMENTS, CONFLICTS, GRADES = "decisions.json", "disagreements.csv", "conflicts.csv", "grades.csv"
ReferenceOf = Callable[[Case], Labels | None]
"""The reference of a case, None where there is none."""


@dataclass
class AdjudicatedStudy:
    """What was decided about a study; `rows` has one row per region and case."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    provenance: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def undecided(self) -> int:
        return sum(not row["choice"] for row in self.rows)


def adjudicate_study(
    study: Study,
    reference_of: ReferenceOf,
    decisions: Decisions,
    folder: str | Path,
    *,
    conflicts: list[Conflict] | None = None,
    force: bool = False,
    report: Report = silent,
) -> AdjudicatedStudy:
    """Writes `<case id>/truth.nrrd`, `disagreements.csv`, `decisions.json`, and where there are any, `conflicts.csv`
    and `grades.csv`.

    Cases without a reference or without labels are left out. All files are written or none.
    """
    decisions = decisions.with_case_ids([case.id for case in study.cases])
    _require_cases(study, decisions)
    require_apart(study.cases, folder)
    found, digests = AdjudicatedStudy(), dict[str, str]()
    with output_folder(folder, force=force) as out:
        for case in steps(study.cases, "adjudicate", report, total=len(study.cases)):
            labels, reference = chosen_labels(study, case, decisions), reference_of(case)
            if reference is None or not labels:
                found.left_out.append(case.id)
                continue
            done = adjudicate_case(
                case.id,
                labels,
                reference,
                case.geometry,
                decisions,
                partial(_edit, decisions, case),
            )
            EstimateWriter(out / case.id, case.geometry).write_truth(done.labels)
            found.rows.extend(_rows(case.id, done))
            found.provenance[case.id] = _provenance(decisions, labels, done)
            digests[case.id] = labels_digest(labels)
            if done.changed_labels:
                found.changed.append(case.id)
        if not found.provenance:
            raise UserError(f"No case of the study {study.name} has both labels and a reference")
        write_text(out / DISAGREEMENTS, csv_text(found.rows, ["case", "number"]))
        _keep_edits(decisions, out)
        dataclasses.replace(decisions, labels_sha256=digests).write(out / DECISIONS)
        if decisions.grades:
            write_text(out / GRADES, csv_text([_grade_row(decision) for decision in decisions.grades]))
        if conflicts:
            write_text(out / CONFLICTS, csv_text([_conflict_row(conflict) for conflict in conflicts]))
    return found


def chosen_labels(study: Study, case: Case, decisions: Decisions) -> dict[str, Labels]:
    """The labels of a case that decisions are about: of the annotators of the reference, or of all."""
    names = decisions.annotators or study.annotators
    pairs = zip(names, case.all_labels(names), strict=True)
    return {name: labels for name, labels in pairs if labels is not None}


def sign_off(study: Study, adjudicated: AdjudicatedStudy, folder: str | Path, by: str) -> Path:
    """Makes the adjudicated truths those of the study: copies them below it and names them in its `study.json`.

    A truth that the study named before stays on the disk. Returns the study file.
    """
    cases, today = [], datetime.date.today().isoformat()
    for case in study.cases:
        if case.id in adjudicated.provenance:
            file = study.folder / "truth" / f"{case.id}.nrrd"
            write_labels(file, read_labels(Path(folder) / case.id / TRUTH).array, case.geometry)
            provenance = {**adjudicated.provenance[case.id], "signed_off_by": by, "date": today}
            case = dataclasses.replace(case, truth_source=file, provenance=provenance)
        cases.append(case)
    return dataclasses.replace(study, cases=tuple(cases)).write(force=True)


def sign_off_case(
    folder: Path, case: str, labels: Labels, provenance: dict[str, Any], record: Decisions, edited: Labels | None
) -> list[Path]:
    """Makes labels (*shape) the truth of a case in the study of a folder, and keeps the decisions beside the study.

    The study file is read anew, so that what others have signed off meanwhile stays. Returns the files written.
    """
    study = Study.read(folder)
    found = study.case(case)
    labels = labels.reshape(found.geometry.shape)
    file = study.folder / "truth" / f"{case}.nrrd"
    write_labels(file, labels, found.geometry)
    if edited is not None:
        for edit in {decision.edit for decision in record.decisions if decision.edit}:
            write_labels(study.folder / edit, edited.reshape(labels.shape), found.geometry)
    signed = dataclasses.replace(found, truth_source=file, provenance=provenance)
    cases = tuple(signed if each.id == case else each for each in study.cases)
    written = [file, _write_beside(study, case, record)]
    dataclasses.replace(study, cases=cases).write(force=True)
    return written


def _write_beside(study: Study, case: str, record: Decisions) -> Path:
    """The decisions about a case in decisions.json of the study; in a file of their own where the basis differs."""
    path = study.folder / DECISIONS
    if path.exists():
        before = Decisions.read(path)
        try:
            others = {name: digest for name, digest in before.labels_sha256.items() if name != case}
            record.require_same_basis(dataclasses.replace(before, labels_sha256=others))
        except UserError:
            path = study.folder / f"decisions_{case}.json"
        else:
            kept = tuple(decision for decision in before.decisions if decision.case != case)
            digests = {**others, **record.labels_sha256}
            record = dataclasses.replace(record, decisions=(*kept, *record.decisions), labels_sha256=digests)
    record.write(path)
    return path


def _require_cases(study: Study, decisions: Decisions) -> None:
    known = {case.id for case in study.cases}
    for decision in decisions.decisions:
        if decision.case not in known:
            raise UserError(
                f"The decisions file names the case {decision.case}, which the study {study.name} does not have",
                remedy="give the study that was decided about",
            )
    for name in decisions.annotators:
        if name not in study.annotators:
            raise UserError(f"The decisions file names the annotator {name}, whom the study {study.name} does not have")


def _edit(decisions: Decisions, case: Case, file: str) -> Labels:
    path = decisions.folder / file
    image = read_labels(path)
    case.require_grid(image.geometry, path)
    return image.array


def _keep_edits(decisions: Decisions, folder: Path) -> None:
    for file in sorted({decision.edit for decision in decisions.decisions if decision.edit}):
        image = read_labels(decisions.folder / file)
        write_labels(folder / file, image.array, image.geometry)


def _rows(case: str, done: AdjudicatedCase) -> Iterator[dict[str, Any]]:
    for number in range(1, len(done.regions) + 1):
        region, decision = done.regions[number], done.decided.get(number)
        x, y, z = region.region.center_ras
        yield {
            "case": case,
            "number": number,
            "kind": region.kind,
            "voxels": region.region.voxels,
            "size_mm3": region.size,
            "center_r": x,
            "center_a": y,
            "center_s": z,
            "first_slice": region.slices[0],
            "last_slice": region.slices[1],
            "groups": " | ".join(", ".join(group) for group in region.groups),
            **{key: getattr(decision, key, "") for key in ("choice", "by", "date", "comment")},
        }


def _provenance(decisions: Decisions, labels: dict[str, Labels], done: AdjudicatedCase) -> dict[str, Any]:
    method = decisions.method or "reference"
    return {"method": f"adjudicated {method}", "annotators": list(labels), "edited": done.is_edited}


def _grade_row(decision: Decision) -> dict[str, Any]:
    center = (*decision.region.center_ras, None)[:3]
    return {
        "case": decision.case,
        "annotator": decision.error_of,
        "error": decision.error,
        "voxels": decision.region.voxels,
        **{f"center_{axis}": value for axis, value in zip("ras", center, strict=True)},
        **{key: getattr(decision, key) for key in ("grade", "comment", "by", "date")},
    }


def _conflict_row(conflict: Conflict) -> dict[str, Any]:
    def who(decision: Decision) -> str:
        return f"{decision.by or 'unnamed'}: {decision.choice}"

    x, y, z = conflict.first.region.center_ras
    return {
        "case": conflict.first.case,
        "voxels": conflict.first.region.voxels,
        "center_r": x,
        "center_a": y,
        "center_s": z,
        "first": who(conflict.first),
        "second": who(conflict.second),
        "comments": " | ".join(filter(None, (conflict.first.comment, conflict.second.comment))),
    }
