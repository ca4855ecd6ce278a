"""export: a study in the layout of other tools: nnU-Net, BIDS derivatives or DICOM SEG."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.progress import Report, Say
from NoisyLabelSegLib.verbs.settings import VerbSettings, missing, used
from NoisyLabelSegLib.words import counted

KINDS = ("nnunet", "bids", "dicom-seg")
TARGETS = ("truth", "readers", "soft")


@dataclass(frozen=True, kw_only=True)
class ExportSettings(VerbSettings):
    """Writes the cases of a study, and optionally a truth, for another tool."""

    verb: ClassVar[str] = "export"
    kind: str
    study: str
    truth: str = ""
    """A folder of estimates, a fusion method, or `study`; for nnunet the default fusion method if empty."""
    targets: str = "truth"
    """nnunet: `truth`, `readers` (each reader's label as a case of its own) or `soft` (class probabilities, too)."""
    suffix: str = "image"
    """bids: what the file names of images end in, such as T1w."""
    series: str = ""
    """dicom-seg: the folder of the DICOM series that the cases were made from."""

    def problems(self) -> list[str]:
        found = [] if self.study else ["Choose a study."]
        found += [] if self.kind in KINDS else [f"There is no export {self.kind}; choose one of {', '.join(KINDS)}."]
        if self.targets not in TARGETS:
            found.append(f"There are no targets {self.targets}; choose one of {', '.join(TARGETS)}.")
        return [*found, *super().problems(), *used(self), *missing("study", self.study)]

    def run(self, report: Report, say: Say) -> dict[str, Any]:
        from NoisyLabelSegLib.cases import Study
        from NoisyLabelSegLib.cases.export_plan import ExportedCase
        from NoisyLabelSegLib.fusion import DEFAULT, METHODS
        from NoisyLabelSegLib.output import output_folder
        from NoisyLabelSegLib.progress import steps
        from NoisyLabelSegLib.review.truths import truth_source

        for problem in self.problems():
            if problem not in used(self):  # the folder itself says what to do about that
                raise UserError(problem.rstrip("."))
        study = Study.read(self.study)
        study.require_files()
        name = self.truth or (DEFAULT if self.kind == "nnunet" and self.targets != "readers" else "")
        source = truth_source(name, study, report) if name else None
        left_out = []
        with output_folder(self.out, force=self.force) as folder:
            export = self._export(study, folder)
            for case in steps(study.cases, "export", report, total=len(study.cases)):
                truth = source(case) if source is not None else None
                if source is not None and truth is None:
                    left_out.append(case.id)
                    continue
                method = case.provenance if name == "study" else {"method": name if name in METHODS else "estimate"}
                labels = None if truth is None else truth.labels
                export.add(ExportedCase(case, labels, None if truth is None else truth.probabilities, method))
            if len(left_out) == len(study.cases):
                raise UserError(f"No case of the study {study.name} has a truth", remedy="give another --truth")
            export.finish()
        if left_out:
            say(f"{counted(len(left_out), 'case has', 'cases have')} no truth: left out.")
        return {"out": self.out, "cases": len(study.cases) - len(left_out), "left_out": left_out}

    def _export(self, study: Any, folder: Path) -> Any:
        if self.kind == "nnunet":
            from NoisyLabelSegLib.cases.export_nnunet import NnunetExport

            return NnunetExport(study, folder, targets=self.targets)
        if self.kind == "bids":
            from NoisyLabelSegLib.cases.export_bids import BidsExport

            return BidsExport(study, folder, suffix=self.suffix)
        from NoisyLabelSegLib.cases.export_dicom_seg import DicomSegExport

        if not self.series:
            raise UserError(
                "A DICOM SEG refers to its images", remedy="add --series with the folder of the DICOM series"
            )
        return DicomSegExport(study, folder, series=self.series)
