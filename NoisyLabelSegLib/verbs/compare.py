"""compare: the review of the one case that the panel shows, in the worker process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from NoisyLabelSegLib.output import output_folder
from NoisyLabelSegLib.progress import Report, Say
from NoisyLabelSegLib.verbs.settings import VerbSettings, missing, used


@dataclass(frozen=True, kw_only=True)
class CompareSettings(VerbSettings):
    """Reviews one case that the panel has left in a folder of plain arrays; see review/handover.py."""

    verb: ClassVar[str] = "compare"
    case: str

    def problems(self) -> list[str]:
        return [*super().problems(), *used(self), *missing("case", self.case)]

    def run(self, report: Report, say: Say) -> dict[str, Any]:  # noqa: ARG002 - there is nothing to say
        from NoisyLabelSegLib.review.handover import review_folder

        with output_folder(self.out, force=self.force) as partial:
            review_folder(Path(self.case), partial, report=report)
        return {"out": self.out}
