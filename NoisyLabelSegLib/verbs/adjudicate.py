"""adjudicate: applies decisions about disagreements and writes the adjudicated truth."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar

from NoisyLabelSegLib.progress import Report, Say
from NoisyLabelSegLib.verbs.settings import VerbSettings, missing, used
from NoisyLabelSegLib.words import counted


@dataclass(frozen=True, kw_only=True)
class AdjudicateSettings(VerbSettings):
    """Replays the decisions of one or several adjudicators on the labels of a study."""

    verb: ClassVar[str] = "adjudicate"
    study: str
    truth: str = ""
    """The reference: a folder of estimates, a fusion method (the default one if empty), or `study`."""
    decisions: tuple[str, ...] = ()
    """Decisions files, one per adjudicator; without any, the disagreements are listed and nothing is decided."""
    agreed_share: float | None = None
    """Without decisions files: voxels on which at least this share of the annotators agree need no decision."""
    sign_off: str = ""
    """Who signs off: the truths are then written into the study."""

    def problems(self) -> list[str]:
        found = [] if self.study else ["Choose a study."]
        found += super().problems() + used(self) + missing("study", self.study)
        return found + missing("decisions file", *self.decisions)

    def run(self, report: Report, say: Say) -> dict[str, Any]:
        from NoisyLabelSegLib.cases import Case, Study
        from NoisyLabelSegLib.decisions import Decisions, merge_decisions
        from NoisyLabelSegLib.decisions.study import adjudicate_study, sign_off
        from NoisyLabelSegLib.errors import UserError
        from NoisyLabelSegLib.fusion import DEFAULT
        from NoisyLabelSegLib.review.truths import truth_source

        study, name = Study.read(self.study), self.truth or DEFAULT
        if self.decisions:
            decisions, conflicts = merge_decisions([Decisions.read(path) for path in self.decisions])
        else:
            decisions, conflicts = Decisions(method=name, agreed_share=self.agreed_share), []
        differently = counted(len(conflicts), "disagreement was", "disagreements were")
        if self.sign_off and conflicts:
            raise UserError(
                f"{differently} decided differently by the adjudicators",
                remedy="resolve them in one of the files before signing off (run without --sign-off to list them)",
            )
        used_names = decisions.annotators or study.annotators
        source = truth_source(name, dataclasses.replace(study, annotators=tuple(used_names)), report)

        def reference(case: Case) -> Any:
            truth = source(case)
            return None if truth is None else truth.labels

        found = adjudicate_study(
            study, reference, decisions, self.out, conflicts=conflicts, force=self.force, report=report
        )
        for case in found.changed:
            say(f"{case}: the labels have changed since the decisions were made.")
        for case in found.left_out:
            say(f"{case}: left out, because it has no labels or no reference.")
        if conflicts:
            say(f"{differently} decided differently, so the reference is kept there: see conflicts.csv.")
        if decisions.method and decisions.method != name:
            say(f"The decisions were made with the reference {decisions.method}, and are applied to {name}.")
        return {
            "out": self.out,
            "cases": len(found.provenance),
            "disagreements": len(found.rows),
            "undecided": found.undecided,
            "conflicts": len(conflicts),
            "study": str(sign_off(study, found, self.out, self.sign_off)) if self.sign_off else "",
        }
