"""predict: a trained model's truth, annotators and confusion fields for new cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.progress import Report, Say
from NoisyLabelSegLib.verbs.settings import VerbSettings, exactly_one, missing, used

MOST_SAMPLES = 1000


@dataclass(frozen=True, kw_only=True)
class PredictSettings(VerbSettings):
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
    labels: bool = False
    """Whether the labels of each case are used together with its image."""
    samples: int = 0
    """How many labelings are drawn from the annotator models, into `samples.nrrd`."""
    seed: int = 0
    """The random seed of the samples."""
    compressed: bool = True
    """Whether the files are compressed: small, but slow to read again."""
    split: str = ""
    """Only the study's cases of this split; all if empty."""
    flips: bool = False
    """Test-time augmentation: the mean over mirror images and overlapping tiles."""
    at: tuple[float, ...] = ()
    """A point (x, y, z) in RAS mm, for models that outline one object at a time."""
    roi: tuple[float, ...] = ()
    """A box in RAS mm, two corners, for the same models."""
    anyway: bool = False
    """Whether cases that the model is not for are predicted, too."""
    device: str = "auto"

    def problems(self) -> list[str]:
        found = [] if self.model else ["Choose a trained model."]
        found += exactly_one("study", self.study, "images", self.images) + super().problems() + used(self)
        found += self._wrong_numbers()
        channels = [channel for image in self.images for channel in image.split(",")]
        return found + missing("model", self.model) + missing("study", self.study) + missing("image", *channels)

    def _wrong_numbers(self) -> list[str]:
        found = []
        if not 0 <= self.samples <= MOST_SAMPLES:
            found.append(f"The number of samples must be 0 to {MOST_SAMPLES}.")
        if len(self.at) not in (0, 3) or len(self.roi) not in (0, 6) or (self.at and self.roi):
            found.append("Give a point as 3 numbers or a box as 6 numbers, in RAS mm, and not both.")
        return found

    def run(self, report: Report, say: Say) -> dict[str, Any]:  # noqa: ARG002 - the result says everything
        from NoisyLabelSegLib.cases.inputs import cases_of
        from NoisyLabelSegLib.inference import PredictionOutputs, predict_cases

        for problem in self._wrong_numbers():
            raise UserError(problem.removesuffix("."))
        cases = cases_of([self.study] if self.study else self.images, self.split or None)
        used = predict_cases(
            self.model,
            cases,
            self.out,
            outputs=PredictionOutputs(
                annotators=self.annotators,
                confusion=self.confusion,
                expected=self.expected,
                labels=self.labels,
                samples=self.samples,
                seed=self.seed,
                compressed=self.compressed,
            ),
            flips=self.flips,
            device=self.device,
            force=self.force,
            anyway=self.anyway,
            at=self.at,
            roi=self.roi,
            report=report,
        )
        result = {"out": self.out, "cases": [case.id for case in cases]}
        return {**result, "labels": used} if self.labels else result
