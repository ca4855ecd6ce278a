"""fuse: many labels to one estimate of the truth, and the figures of each annotator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from NoisyLabelSegLib.progress import Report, Say
from NoisyLabelSegLib.verbs.settings import VerbSettings, exactly_one, missing, used


@dataclass(frozen=True, kw_only=True)
class FuseSettings(VerbSettings):
    """Fuses the annotators' labels of a study, or of one case given as label files."""

    verb: ClassVar[str] = "fuse"
    study: str = ""
    labels: tuple[str, ...] = ()
    method: str = ""
    """The name of a fusion method; the default of `fuse` if empty."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the method."""
    annotators: tuple[str, ...] = ()
    """Only these; all if empty."""
    split: str = ""
    """Only the study's cases of this split; all if empty."""
    case: str = ""
    """Only this case of the study; of label files, the id of their case, which names the folder of the results."""
    each_case: bool = False
    """Whether annotators are judged in every case anew instead of over the whole study."""
    confusion: bool = False
    """Whether each annotator's field of confusion matrices is written too."""
    relabel: tuple[str, ...] = ()
    """Labels of label files that mean the same class, as in `anna:7=1`."""
    keep_going: bool = False
    """Whether cases with unusable files are left out instead of ending the work."""

    def problems(self) -> list[str]:
        found = [*exactly_one("study", self.study, "label files", self.labels), *super().problems(), *used(self)]
        return found + missing("study", self.study) + missing("label file", *self.labels)

    def run(self, report: Report, say: Say) -> dict[str, Any]:
        table = fused_table(self, report, say)
        for case in table.cases:
            for remark in case.remarks:
                say(f"{case.id}: {remark}")
        for failure in table.failed:
            say(f"{failure.case}: {failure.problem}")
        if table.reliability:
            say(table.reliability)
        return fusion_result(self, table)


def fused_table(settings: FuseSettings, report: Report, say: Say, run: Any = map) -> Any:
    """Fuses and returns the AnnotatorTable; `run` is a map that may work on several cases at once."""
    from NoisyLabelSegLib.cases.estimates import require_apart
    from NoisyLabelSegLib.cases.inputs import choose_annotators, study_of
    from NoisyLabelSegLib.fusion import DEFAULT
    from NoisyLabelSegLib.fusion.study import FusionPlan, fuse_study

    study = study_of([settings.study] if settings.study else list(settings.labels), say, settings.relabel)
    study = study.only_split(settings.split) if settings.split else study
    study = study.only_case(settings.case) if settings.case else study
    study = choose_annotators(study, list(settings.annotators))
    require_apart(study.cases, settings.out, [Path(file) for file in settings.labels])
    method = settings.method or DEFAULT
    plan = FusionPlan(method, settings.options, pooled=not settings.each_case, confusion=settings.confusion)
    return fuse_study(
        study, settings.out, plan, run=run, force=settings.force, keep_going=settings.keep_going, report=report
    )


def fusion_result(settings: FuseSettings, table: Any) -> dict[str, Any]:
    """What fuse answers."""
    return {
        "out": settings.out,
        "cases": [case.id for case in table.cases],
        "annotators": table.rows(),
        "reliability": table.reliability,
        "left_out": table.left_out,
        "failed": [failure.case for failure in table.failed],
    }
