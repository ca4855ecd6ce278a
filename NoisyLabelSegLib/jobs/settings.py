"""What a job is to do: one record for the panel that fills it, the worker that receives it and the `run` verb."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from NoisyLabelSegLib.jobs import settings_json


@dataclass(frozen=True, kw_only=True)
class JobSettings:
    """What all jobs have; paths are absolute or relative to the folder the worker is started in.

    `problems()` looks at what can be seen at once; what only the files themselves tell, the worker says.
    """

    verb: ClassVar[str] = ""
    out: str
    """The folder the results go to."""
    force: bool = False
    """Whether files of the same name in that folder may be replaced."""

    def problems(self) -> list[str]:
        """What keeps the job from starting, one sentence each; empty when all is well."""
        out = Path(self.out)
        if not self.out:
            return ["Choose a folder for the results."]
        if out.exists() and not out.is_dir():
            return [f"{out} is a file, not a folder; choose another folder for the results."]
        return []

    def to_json(self) -> str:
        return settings_json.to_json(self)

    @staticmethod
    def from_json(text: str) -> JobSettings:
        """The settings of any verb; a key or a value that is not a setting raises UserError."""
        return settings_json.from_json(text, KINDS)

    @staticmethod
    def read(path: str | Path) -> JobSettings:
        """The settings in a file."""
        return settings_json.read(path, KINDS)


@dataclass(frozen=True, kw_only=True)
class FuseSettings(JobSettings):
    """Fuses the annotators' labels of a study, or of one case given as label files."""

    verb: ClassVar[str] = "fuse"
    study: str = ""
    labels: tuple[str, ...] = ()
    method: str = "staple"
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the method."""
    annotators: tuple[str, ...] = ()
    """Only these; all if empty."""
    split: str = ""
    """Only the study's cases of this split; all if empty."""
    each_case: bool = False
    """Whether annotators are judged in every case anew instead of over the whole study."""
    confusion: bool = False
    """Whether each annotator's field of confusion matrices is written too."""

    def problems(self) -> list[str]:
        found = [*_exactly_one("study", self.study, "label files", self.labels), *super().problems(), *_used(self)]
        return found + _missing("study", self.study) + _missing("label file", *self.labels)


@dataclass(frozen=True, kw_only=True)
class ReviewSettings(JobSettings):
    """Compares the annotators of a study with a truth."""

    verb: ClassVar[str] = "review"
    study: str
    truth: str = "staple"
    """A folder of truths, the name of a fusion method that makes them, or `study` for the study's own."""
    options: Mapping[str, float] = field(default_factory=dict)
    """What a review can be told to do differently: sizes, shares and counts by name."""
    costs: Mapping[str, float] = field(default_factory=dict)
    """What a label by an annotator costs; 1 if it is not said."""
    identify: bool = False
    """Whether the reports may name study and cases."""

    def problems(self) -> list[str]:
        found = [] if self.study else ["Choose a study."]
        return [*found, *super().problems(), *_used(self), *_missing("study", self.study)]


@dataclass(frozen=True, kw_only=True)
class CompareSettings(JobSettings):
    """Reviews one case that the panel has left in a folder of plain arrays; see review/handover.py."""

    verb: ClassVar[str] = "compare"
    case: str

    def problems(self) -> list[str]:
        return [*super().problems(), *_used(self), *_missing("case", self.case)]


@dataclass(frozen=True, kw_only=True)
class TrainSettings(JobSettings):
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
        found += super().problems() + ([] if self.resume else _used(self)) + _missing("study", self.study)
        return found


@dataclass(frozen=True, kw_only=True)
class PredictSettings(JobSettings):
    """Runs a model package over a study or bare images."""

    verb: ClassVar[str] = "predict"
    model: str
    study: str = ""
    images: tuple[str, ...] = ()
    """One case each; the channels of one case are joined by commas."""
    annotators: bool = False
    confusion: bool = False
    expected: bool = False
    """Whether each annotator's expected errors are written, as `expected_<annotator>.nrrd`."""
    compressed: bool = True
    """Whether the files are compressed: small, but slow to read again."""
    split: str = ""
    """Only the study's cases of this split; all if empty."""
    flips: bool = True
    """Whether the answer is the mean over mirrored images, for models that were trained on such."""
    device: str = "auto"

    def problems(self) -> list[str]:
        found = [] if self.model else ["Choose a trained model."]
        found += _exactly_one("study", self.study, "images", self.images) + super().problems() + _used(self)
        channels = [channel for image in self.images for channel in image.split(",")]
        return found + _missing("model", self.model) + _missing("study", self.study) + _missing("image", *channels)


KINDS: dict[str, type[JobSettings]] = {
    kind.verb: kind for kind in (FuseSettings, ReviewSettings, CompareSettings, TrainSettings, PredictSettings)
}


def _exactly_one(first: str, a: object, second: str, b: object) -> list[str]:
    return [] if bool(a) != bool(b) else [f"Choose a {first} or {second}{', not both' if a else ''}."]


def _missing(what: str, *paths: str) -> list[str]:
    return [f"{path} does not exist; choose another {what}." for path in paths if path and not Path(path).exists()]


def _used(settings: JobSettings) -> list[str]:
    out = Path(settings.out)
    if settings.force or not settings.out or not out.is_dir() or not any(out.iterdir()):
        return []
    return [f"{out} is not empty; choose another folder for the results or allow replacing."]
