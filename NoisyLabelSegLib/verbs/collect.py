"""collect: what readers sent back, checked and added to a study."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from NoisyLabelSegLib.progress import Report, Say
from NoisyLabelSegLib.verbs.settings import VerbSettings, missing


@dataclass(frozen=True, kw_only=True)
class CollectSettings(VerbSettings):
    """Collects packages into a study; `out` is the study's folder, which may exist."""

    verb: ClassVar[str] = "collect"
    places: tuple[str, ...]
    """Folders or zip files that readers sent back, or the folder of the hand-out."""
    key: str = ""
    """The key of the hand-out; the one in or beside `places` if empty."""

    def problems(self) -> list[str]:
        found = [] if self.places else ["Choose what readers sent back."]
        return [*found, *super().problems(), *missing("package", *self.places), *missing("key", self.key)]

    def run(self, report: Report, say: Say) -> dict[str, Any]:
        from NoisyLabelSegLib.reader_study import collect

        found = collect(self.places, self.out, key=self.key or None, report=report)
        for sentence in found.problems:
            say(sentence)
        return {
            "out": self.out,
            "added": found.added,
            "replaced": found.replaced,
            "unchanged": found.unchanged,
            "progress": list(found.progress),
            "problems": list(found.problems),
        }
