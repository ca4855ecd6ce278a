"""The decisions file (`decisions.json`): what was decided about which region, by whom and when."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from NoisyLabelSegLib.cases.study_rules import path_problem
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.json_checks import read_json, strict_json
from NoisyLabelSegLib.output import write_text
from NoisyLabelSegLib.words import counted

FORMAT = "noisylabelseg-decisions/1"
MAJORITY, ESTIMATE, EDITED, UNCLEAR, ANNOTATOR = "majority", "estimate", "edited", "unclear", "annotator:"
GRADES = ("agree", "disagree", "unclear")
CONNECTIVITIES = (6, 18, 26)
_WORDS = ("choice", "edit", "grade", "comment", "by", "date", "error_of", "error")


@dataclass(frozen=True)
class Region:
    """How a region is found again: a voxel of it in RAS mm, its number of voxels, and its bounds in RAS mm.

    bounds: smallest and largest coordinate of its voxel centers, (x0, x1, y0, y1, z0, z1).
    """

    center_ras: tuple[float, ...]
    voxels: int | None = None
    bounds: tuple[float, ...] = ()


@dataclass(frozen=True)
class Decision:
    """What was decided about one region of a case.

    choice: "annotator:NAME", "majority", "estimate", "edited" or "unclear"; empty for a grade without a decision.
    edit: for "edited", the file of the edited truth, relative to the decisions file.
    grade: "agree", "disagree" or "unclear" with an error that a report shows, or empty; then error_of is the annotator
    who made the error and error its kind.
    case_number: the place of the case in the study, from 1, where a report does not name cases; `case` is empty then.
    """

    case: str
    region: Region
    choice: str = ""
    edit: str = ""
    grade: str = ""
    comment: str = ""
    by: str = ""
    date: str = ""
    error_of: str = ""
    error: str = ""
    case_number: int | None = None

    @property
    def annotator(self) -> str:
        """The annotator whose labels were chosen, empty for any other choice."""
        return self.choice.removeprefix(ANNOTATOR) if self.choice.startswith(ANNOTATOR) else ""


@dataclass(frozen=True)
class Decisions:
    """All decisions about the cases of a study, in the order they were made; a later one replaces an earlier one.

    method, annotators: of the reference that annotators were compared with; all annotators if empty.
    labels_sha256: case to the digest of the labels that were decided about.
    agreed_share: voxels on which at least this share of the annotators agree need no decision; with None every
        disagreement needs one.
    """

    method: str = ""
    annotators: tuple[str, ...] = ()
    labels_sha256: Mapping[str, str] = field(default_factory=dict)
    agreed_share: float | None = None
    connectivity: int = 26
    decisions: tuple[Decision, ...] = ()
    folder: Path = Path()

    def of(self, case: str) -> list[Decision]:
        """The decisions about a case, without grades."""
        return [decision for decision in self.decisions if decision.case == case and decision.choice]

    @property
    def grades(self) -> list[Decision]:
        """The grades of errors, which change no voxel."""
        return [decision for decision in self.decisions if decision.grade]

    def with_case_ids(self, cases: Sequence[str]) -> Decisions:
        """The same, with the ids of cases that are known by their number; `cases` are those of the study, in order."""
        found = []
        for decision in self.decisions:
            number = decision.case_number
            if number is not None and not decision.case:
                if number > len(cases):
                    there = counted(len(cases), "case")
                    raise UserError(
                        f"The decisions file is about case number {number}, but the study has {there}",
                        remedy="give the study that the report is about",
                    )
                decision = dataclasses.replace(decision, case=cases[number - 1], case_number=None)
            found.append(decision)
        return dataclasses.replace(self, decisions=tuple(found))

    @classmethod
    def read(cls, path: str | Path) -> Decisions:
        """Opens a decisions file; anything wrong with it raises a UserError that names the file."""
        content = read_json(path, damaged="restore it or decide anew")
        return cls._from_json(content, Path(path))

    @classmethod
    def from_text(cls, text: str, folder: Path = Path()) -> Decisions:
        """What text() made; `folder` is the one that edited truths are relative to."""
        return cls._from_json(strict_json(text), folder / "decisions.json")

    @classmethod
    def _from_json(cls, content: Any, path: Path) -> Decisions:
        problem = _problem(content)
        if problem:
            raise UserError(problem, file=path, remedy="see the decisions format in docs/formats.md")
        reference = content.get("reference", {})
        return cls(
            method=reference.get("method", ""),
            annotators=tuple(reference.get("annotators", ())),
            labels_sha256=content.get("labels_sha256", {}),
            agreed_share=content.get("agreed_share"),
            connectivity=content.get("connectivity", 26),
            decisions=tuple(_decision(entry) for entry in content["decisions"]),
            folder=path.parent,
        )

    def write(self, path: str | Path, *, force: bool = True) -> None:
        """Writes the file, whole or not at all."""
        write_text(path, self.text(), force=force)

    def text(self) -> str:
        """The text of the decisions file."""
        content = {
            "format": FORMAT,
            "reference": {"method": self.method, "annotators": list(self.annotators)},
            "labels_sha256": dict(self.labels_sha256),
            "agreed_share": self.agreed_share,
            "connectivity": self.connectivity,
            "decisions": [_entry(decision) for decision in self.decisions],
        }
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"

    def require_same_basis(self, other: Decisions) -> None:
        """Refuses decisions that were made about another reference, with other settings or on other labels."""
        for key in ("method", "annotators", "agreed_share", "connectivity"):
            if getattr(other, key) != getattr(self, key):
                raise UserError(
                    f"The decisions files differ in {key!r}: {getattr(self, key)} and {getattr(other, key)}",
                    remedy="merge files that were made with the same reference and settings",
                )
        for case in set(self.labels_sha256) & set(other.labels_sha256):
            if self.labels_sha256[case] != other.labels_sha256[case]:
                raise UserError(f"The decisions about case {case} were made on different labels")


@dataclass(frozen=True)
class Conflict:
    """Two adjudicators decided differently about the same region."""

    first: Decision
    second: Decision


def merge_decisions(files: Sequence[Decisions]) -> tuple[Decisions, list[Conflict]]:
    """The decisions of several adjudicators in one record, and the regions on which they differ.

    Regions on which they differ are left undecided. The files must be about the same reference.
    """
    first = files[0]
    for other in files[1:]:
        first.require_same_basis(other)
    kept: dict[tuple[Any, ...], Decision] = {}
    conflicts: dict[tuple[Any, ...], Conflict] = {}
    for file in files:
        newest = {_place(decision): decision for decision in file.decisions if decision.choice}
        for place, decision in newest.items():
            found = kept.setdefault(place, decision)
            if found.choice != decision.choice or (found.choice == EDITED and found is not decision):
                conflicts[place] = Conflict(found, decision)
    merged = tuple(decision for place, decision in kept.items() if place not in conflicts)
    merged += tuple(decision for file in files for decision in file.grades if not decision.choice)
    digests = {case: digest for file in files for case, digest in file.labels_sha256.items()}
    return dataclasses.replace(first, decisions=merged, labels_sha256=digests), list(conflicts.values())


def _place(decision: Decision) -> tuple[Any, ...]:
    center = tuple(round(value, 3) + 0.0 for value in decision.region.center_ras)
    return decision.case, center, decision.region.voxels


def _entry(decision: Decision) -> dict[str, Any]:
    region = {
        "center_ras": [round(value, 6) for value in decision.region.center_ras],
        "voxels": decision.region.voxels,
        "bounds": [round(value, 6) for value in decision.region.bounds],
    }
    words = {key: getattr(decision, key) for key in (*_WORDS, "case_number")}
    return {"case": decision.case, "region": region, **{key: word for key, word in words.items() if word}}


def _decision(entry: Mapping[str, Any]) -> Decision:
    region = entry["region"]
    words = {key: entry.get(key) or "" for key in _WORDS}
    place = Region(tuple(region["center_ras"]), region.get("voxels"), tuple(region.get("bounds") or ()))
    return Decision(entry.get("case", ""), place, **words, case_number=entry.get("case_number"))


def _problem(content: Any) -> str | None:
    """The first thing that is wrong with the content of a decisions file, or None."""
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        return f"is not a decisions file of the format {FORMAT}"
    reference, digests = content.get("reference", {}), content.get("labels_sha256", {})
    if not isinstance(reference, dict) or not isinstance(reference.get("method", ""), str):
        return "has a 'reference' that is not an object with a 'method'"
    annotators = reference.get("annotators", [])
    if not isinstance(annotators, list) or not all(isinstance(name, str) for name in annotators):
        return "has a 'reference' whose 'annotators' are not a list of names"
    if not isinstance(digests, dict) or not all(isinstance(value, str) for value in digests.values()):
        return "has 'labels_sha256' that are not an object of digests"
    share = content.get("agreed_share")
    if share is not None and (not _is_number(share) or not 0.5 < share <= 1):
        return "has an 'agreed_share' that is neither null nor above 0.5 and at most 1"
    if content.get("connectivity", 26) not in CONNECTIVITIES:
        return "has a 'connectivity' that is not 6, 18 or 26"
    if not isinstance(content.get("decisions"), list):
        return "has no list of 'decisions'"
    for number, entry in enumerate(content["decisions"], start=1):
        if problem := _decision_problem(entry):
            return f"has a decision (number {number}) that {problem}"
    return None


def _decision_problem(entry: Any) -> str | None:
    if not isinstance(entry, dict) or not isinstance(entry.get("case", ""), str):
        return "names no 'case'"
    number = entry.get("case_number")
    if not entry.get("case") and (isinstance(number, bool) or not isinstance(number, int) or number < 1):
        return "names no 'case'"
    for key in _WORDS:
        if not isinstance(entry.get(key) or "", str):
            return f"has a {key!r} that is not text"
    region = entry["region"] if isinstance(entry.get("region"), dict) else {}
    center = region.get("center_ras")
    if not isinstance(center, list) or len(center) not in (2, 3) or not all(map(_is_number, center)):
        return "has no 'region' with a 'center_ras' of three numbers"
    voxels, bounds = region.get("voxels"), region.get("bounds") or []
    if voxels is not None and (isinstance(voxels, bool) or not isinstance(voxels, int) or voxels < 1):
        return "has a 'region' whose 'voxels' are not a whole number above 0"
    if not isinstance(bounds, list) or not all(map(_is_number, bounds)):
        return "has a 'region' whose 'bounds' are not numbers"
    choice, grade, edit = (entry.get(key) or "" for key in ("choice", "grade", "edit"))
    if not choice and not grade:
        return "has neither a 'choice' nor a 'grade'"
    plain = (MAJORITY, ESTIMATE, EDITED, UNCLEAR)
    if choice and choice not in plain and not (choice.startswith(ANNOTATOR) and choice != ANNOTATOR):
        return f"has the choice {choice!r}, which is none of annotator:NAME, majority, estimate, edited, unclear"
    if grade and grade not in GRADES:
        return f"has the grade {grade!r}, which is none of {', '.join(GRADES)}"
    if choice == EDITED and (problem := path_problem(edit)):
        return f"has an 'edit' that {problem}"
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
