"""The whole story on a phantom study: each scan was outlined by one of five people, and the truth is known."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.progress import Report, silent

CASES = 30
FUSIONS = ("majority", "staple", "spatial-staple")


@dataclass(frozen=True)
class Row:
    """A method on the held-out cases: Dice of its truth, error of its confusion matrices (`cm_rmse_column`), time."""

    method: str
    dice: float | None
    confusion_error: float | None
    seconds: float


@dataclass
class Demo:
    """What `run_demo` made; everything lies below `folder`."""

    folder: Path
    rows: list[Row] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)

    def row(self, method: str) -> Row:
        return next(row for row in self.rows if row.method == method)


def run_demo(
    folder: Path,
    *,
    seed: int = 0,
    cases: int = CASES,
    training: Sequence[str] = (),
    report: Report = silent,
    say: Callable[[str], None] = lambda _: None,
) -> Demo:
    """Simulates, fuses, trains, predicts and reviews below `folder`, which is empty or does not exist.

    `training` are settings, such as "epochs=1", that differ from the preset `quick`.
    """
    demo = Demo(folder)
    say(f"{cases} phantom brains, each outlined by one of five people: good, too wide, too tight, with gaps, blank.")
    study, threshold = _simulate(folder / "study", cases, seed, report)
    demo.rows.append(Row("one intensity threshold (all cases)", threshold, None, 0.0))
    for method in FUSIONS:
        say(f"Fusing by {method} ...")
        demo.rows.append(_fuse(study, method, folder / method, report))
    say("Training the coupled networks on the noisy labels alone ...")
    demo.rows.append(_train(study, folder, [f"seed={seed}", *training], report))
    say("Reviewing every annotator against the learned truth ...")
    demo.sentences = _review(study, folder, report)
    return demo


def _simulate(folder: Path, cases: int, seed: int, report: Report) -> tuple[Study, float]:
    from NoisyLabelSegLib.simulation import SimulationSettings, phantom_recipe, simulate_study

    settings = SimulationSettings(cases=cases, seed=seed, missing=None)
    made = simulate_study(phantom_recipe("lesions", settings), folder, settings, report=report)
    return made.study, made.threshold_dice


def _fuse(study: Study, method: str, folder: Path, report: Report) -> Row:
    from NoisyLabelSegLib.fusion.study import Job, fuse_study

    with _timed() as seconds:
        fuse_study(study, folder, Job(method), report=report)
    return _scored(method, folder, study, seconds())


def _train(study: Study, folder: Path, words: Sequence[str], report: Report) -> Row:
    from NoisyLabelSegLib.inference import predict_cases
    from NoisyLabelSegLib.inference.run import Wanted
    from NoisyLabelSegLib.training import train_study
    from NoisyLabelSegLib.training.presets import preset

    with _timed() as seconds:
        trained = train_study(study, folder / "run", preset("quick").with_words(words), report=report)
        predict_cases(
            trained.package,
            study.cases,
            folder / "learned",
            wanted=Wanted(annotators=True, confusion=True),
            report=report,
        )
    return _scored("coupled networks", folder / "learned", study, seconds())


def _review(study: Study, folder: Path, report: Report) -> list[str]:
    from NoisyLabelSegLib.review import annotator_sentence, write_review

    review = write_review(study, str(folder / "learned"), folder / "review", report=report)
    found = [summary for name in review.annotators if (summary := review.overall(name)) is not None]
    return [annotator_sentence(summary, review.settings) for summary in found]


def _scored(method: str, folder: Path, study: Study, seconds: float) -> Row:
    from NoisyLabelSegLib.metrics.evaluation import evaluate
    from NoisyLabelSegLib.metrics.summary import summary

    figures: dict[str, Any] = summary(evaluate(folder, study.split("test")))
    return Row(method, figures["dice"], figures["cm_rmse_column"], seconds)


@contextmanager
def _timed() -> Iterator[Callable[[], float]]:
    start = time.monotonic()
    yield lambda: time.monotonic() - start
