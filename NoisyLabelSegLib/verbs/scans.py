"""scans: an LIDC scan or DICOM SEG objects as a study, for the panel, in the worker process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from NoisyLabelSegLib.errors import naming
from NoisyLabelSegLib.progress import Report, Say
from NoisyLabelSegLib.verbs.settings import VerbSettings, missing, used


@dataclass(frozen=True, kw_only=True)
class ScansSettings(VerbSettings):
    """Makes a study of a folder with an LIDC scan and its XML, or with SEG objects and the series they refer to."""

    verb: ClassVar[str] = "scans"
    source: str

    def problems(self) -> list[str]:
        return [*super().problems(), *used(self), *missing("folder", self.source)]

    def run(self, report: Report, say: Say) -> dict[str, Any]:  # noqa: ARG002 - there is nothing to say
        from NoisyLabelSegLib.cases.import_dicom_seg import plan_dicom_seg
        from NoisyLabelSegLib.cases.import_lidc import plan_lidc

        source = Path(self.source)
        with naming(source):
            plan = plan_lidc(source) if any(source.rglob("*.xml")) else plan_dicom_seg(source)
            plan.write(self.out, force=self.force, report=report)
        return {"out": self.out}
