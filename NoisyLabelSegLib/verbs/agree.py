"""agree: how far readers agree with each other, with the consensus of the others and with themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from NoisyLabelSegLib.progress import Report, Say
from NoisyLabelSegLib.verbs.settings import VerbSettings, missing, used


@dataclass(frozen=True, kw_only=True)
class AgreeSettings(VerbSettings):
    """Measures the agreement of a study's readers."""

    verb: ClassVar[str] = "agree"
    study: str
    method: str = ""
    """The fusion method that makes a consensus; the default of `fuse` if empty."""
    split: str = ""
    """Only the study's cases of this split; all if empty."""
    tolerance: float = 2.0
    """Borders that are no further apart than this many millimeters agree."""
    margin: float = 5.0
    """Kappa is computed on voxels within this many millimeters of a voxel that any reader marked."""
    match_iou: float = 0.5
    """Two objects are the same one where their IoU is above this."""
    resamples: int = 2000
    seed: int = 0
    keep_going: bool = False
    """Whether cases with unusable files are left out instead of ending the work."""

    def problems(self) -> list[str]:
        found = [] if self.study else ["Choose a study."]
        return [*found, *super().problems(), *used(self), *missing("study", self.study)]

    def run(self, report: Report, say: Say) -> dict[str, Any]:
        return agreement_result(self, report, say)


def agreement_result(
    settings: AgreeSettings, report: Report, say: Say, run: Any = map, draw: Any = None
) -> dict[str, Any]:
    """Writes the folder and returns what agree answers; `run` is a map, `draw` writes a plot as PNG."""
    from NoisyLabelSegLib.agreement import AgreementSettings
    from NoisyLabelSegLib.agreement.files import write_agreement
    from NoisyLabelSegLib.cases import Study
    from NoisyLabelSegLib.failures import Failures
    from NoisyLabelSegLib.fusion import DEFAULT

    study = Study.read(settings.study)
    study = study.only_split(settings.split) if settings.split else study
    chosen = AgreementSettings(
        method=settings.method or DEFAULT,
        tolerance_mm=settings.tolerance,
        margin_mm=settings.margin,
        match_iou=settings.match_iou,
        resamples=settings.resamples,
        seed=settings.seed,
    )
    failures = Failures(settings.keep_going)
    content = write_agreement(
        study, settings.out, chosen, run=run, failures=failures, draw=draw, force=settings.force, report=report
    )
    for remark in content["remarks"]:
        say(remark)
    keys = (
        "cases",
        "patients",
        "readers",
        "unit",
        "length_unit",
        "overall",
        "icc_2_1",
        "icc_3_1",
        "loam",
        "leave_one_out",
        "failed",
    )
    return {"out": settings.out, **{key: content[key] for key in keys}, "within_readers": content["within_readers"]}
