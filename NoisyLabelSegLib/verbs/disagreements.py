"""disagreements: the disagreements of the one case that the panel shows, in the worker process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from NoisyLabelSegLib.output import output_folder
from NoisyLabelSegLib.progress import Report, Say
from NoisyLabelSegLib.verbs.settings import VerbSettings, missing, used


@dataclass(frozen=True, kw_only=True)
class DisagreementsSettings(VerbSettings):
    """Lists the disagreements of one case that the panel has left in a folder of plain arrays."""

    verb: ClassVar[str] = "disagreements"
    case: str
    agreed_share: float | None = None

    def problems(self) -> list[str]:
        return [*super().problems(), *used(self), *missing("case", self.case)]

    def run(self, report: Report, say: Say) -> dict[str, Any]:  # noqa: ARG002 - there is nothing to say
        from NoisyLabelSegLib.decisions.handover import write_disagreements
        from NoisyLabelSegLib.review.handover import read_question

        labels, reference, geometry = read_question(Path(self.case))
        with output_folder(self.out, force=self.force) as folder:
            write_disagreements(folder, labels, reference, geometry, agreed_share=self.agreed_share)
        return {"out": self.out}
