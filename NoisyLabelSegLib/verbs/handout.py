"""handout: blinded packages of a study's cases, one per reader."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from NoisyLabelSegLib.progress import Report, Say
from NoisyLabelSegLib.verbs.settings import VerbSettings, missing, used


@dataclass(frozen=True, kw_only=True)
class HandoutSettings(VerbSettings):
    """Hands the cases of a study out to readers."""

    verb: ClassVar[str] = "handout"
    study: str
    readers: tuple[str, ...]
    repeats: float = 0.1
    """The share of cases that each reader is given twice."""
    seed: int | None = None
    """The same seed makes the same packages; a random one if None."""
    zipped: bool = False
    split: str = ""
    """Only the study's cases of this split; all if empty."""

    def problems(self) -> list[str]:
        found = [] if self.study else ["Choose a study."]
        return [*found, *super().problems(), *used(self), *missing("study", self.study)]

    def run(self, report: Report, say: Say) -> dict[str, Any]:
        from NoisyLabelSegLib.cases import Study
        from NoisyLabelSegLib.reader_study import hand_out

        study = Study.read(self.study)
        study = study.only_split(self.split) if self.split else study
        key = hand_out(
            study,
            self.readers,
            self.out,
            repeats=self.repeats,
            seed=self.seed,
            zipped=self.zipped,
            force=self.force,
            report=report,
        )
        say("Names, dates and other header fields are not in the packages; faces and text in the pictures still are.")
        say("key.json says which pseudonym is which case: do not send it to readers.")
        counts = {reader: len(items) for reader, items in key.readers.items()}
        return {"out": self.out, "handout": key.handout, "seed": key.seed, "readings": counts}
