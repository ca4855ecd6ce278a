"""train: the networks learn from a study the truth and every annotator's errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from NoisyLabelSegLib.progress import Report, Say
from NoisyLabelSegLib.verbs.settings import VerbSettings, missing, used


@dataclass(frozen=True, kw_only=True)
class TrainSettings(VerbSettings):
    """Trains the coupled networks on a study."""

    verb: ClassVar[str] = "train"
    study: str
    preset: str = ""
    """A preset's name or JSON file; if empty the default preset, or on resume the settings of the run."""
    overrides: Mapping[str, Any] = field(default_factory=dict)
    """Training settings that differ from the preset's."""
    resume: bool = False
    """Whether to go on from the checkpoint in the output folder."""

    def problems(self) -> list[str]:
        found = [] if self.study else ["Choose a study."]
        found += super().problems() + ([] if self.resume else used(self)) + missing("study", self.study)
        return found

    def run(self, report: Report, say: Say) -> dict[str, Any]:
        from NoisyLabelSegLib.cases import Study
        from NoisyLabelSegLib.training import train_study

        try:
            trained = train_study(
                Study.read(self.study),
                Path(self.out),
                _training_settings(self),
                resume=self.resume,
                force=self.force,
                report=report,
                say=say,
            )
        except KeyboardInterrupt as error:
            raise KeyboardInterrupt(self._cancelled()) from error
        return {"model": str(trained.package), "metrics": trained.figures, "remarks": list(trained.remarks)}

    def _cancelled(self) -> str:
        """What is kept of a training that was stopped, and how to go on; "" where it had not begun."""
        from NoisyLabelSegLib.training.recording import stopped_after

        kept = stopped_after(Path(self.out))
        again = f"go on with: noisylabelseg train {self.study} --out {self.out} --resume"
        return f"Cancelled {kept}; {again}" if kept else ""


def _training_settings(job: TrainSettings) -> Any:
    """The training's own settings: a preset and what differs from it, or on resume those of the run."""
    from NoisyLabelSegLib.training.settings import changed_settings, preset, stored_settings

    goes_on = job.resume and not job.preset
    base = stored_settings(Path(job.out)) if goes_on else preset(job.preset or "default")
    return changed_settings(base, job.overrides)
