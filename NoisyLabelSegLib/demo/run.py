"""The demo: a phantom study, fusion, training, prediction, evaluation, review and scene, in one progress bar."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.demo.study import DemoStudy, make_demo_study
from NoisyLabelSegLib.progress import Progress, Report, silent

STEPS = 1000

Plan = Mapping[str, Mapping[str, float]]
"""Part to its stages to the seconds that each takes, more or less: only their ratios count."""


class WholeBar:
    """Reports the parts of a plan as steps of one stage; the bar never goes back."""

    def __init__(self, name: str, plan: Plan, report: Report) -> None:
        self._name, self._plan, self._report = name, plan, report
        self._total = sum(sum(stages.values()) for stages in plan.values())
        self._done = 0
        report(Progress(name, 0, STEPS))

    @contextmanager
    def part(self, name: str) -> Iterator[Report]:
        """What the part's work reports to; stages that the plan does not know do not move the bar."""
        before = 0.0
        for other, stages in self._plan.items():
            if other == name:
                break
            before += sum(stages.values())
        stages = self._plan[name]

        def listen(progress: Progress) -> None:
            if progress.stage in stages:
                names = list(stages)
                earlier = sum(stages[stage] for stage in names[: names.index(progress.stage)])
                share = (progress.done + progress.part) / max(progress.total, 1)
                self._move(before + earlier + share * stages[progress.stage], progress.metrics)

        yield listen
        self._move(before + sum(stages.values()), {})

    def _move(self, seconds: float, figures: Mapping[str, float]) -> None:
        self._done = max(self._done, round(STEPS * seconds / self._total))
        self._report(Progress(self._name, self._done, STEPS, figures))


PRESET = "quick"
CASES = 30
THRESHOLD, LEARNED, ORACLE = "one threshold", "coupled networks", "oracle-truth"
WITH_LABELS = "coupled networks with labels"
FUSIONS = ("majority", "staple", "spatial-staple")
PLAN = {
    "simulate": {"draw the scans": 6.0, "find the strengths": 1.0, "draw the labels": 2.0},
    **{method: {"fuse": 0.5} for method in FUSIONS},
    LEARNED: {"train": 60.0, "predict": 8.0},
    WITH_LABELS: {"predict": 4.0},
    ORACLE: {"train": 50.0, "predict": 3.0},
    "review": {"review": 5.0},
    "scene": {"scene": 3.0},
}


@dataclass(frozen=True)
class Row:
    """A method on the held-out cases: Dice of its truth, error of its confusion matrices (`cm_rmse_column`), time.

    `remark` says what to know before it is compared with the others.
    """

    method: str
    dice: float | None
    confusion_error: float | None = None
    seconds: float = 0.0
    remark: str = ""


@dataclass
class Demo:
    """What `run_demo` made; everything lies below `folder`. `sentences` has one about every annotator."""

    folder: Path
    rows: list[Row] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    has_scene: bool = False

    @property
    def learned(self) -> bool:
        """Whether the coupled networks are better than fusion and threshold; a run that is too short learns nothing."""
        reached = self.row(LEARNED).dice or 0.0
        return all(reached > (self.row(method).dice or 0.0) for method in (THRESHOLD, *FUSIONS))

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

    `training` are settings, such as "epochs=1", that differ from the preset.
    """
    demo, bar, words = Demo(folder), WholeBar("demo", PLAN, report), [f"seed={seed}", *training]
    say(f"{cases} phantom brains, each outlined by one of five people: good, too wide, too tight, with gaps, blank.")
    with bar.part("simulate") as listener:
        made = make_demo_study(folder / "study", cases=cases, seed=seed, report=listener)
    demo.rows.append(Row(THRESHOLD, made.threshold_dice(), remark="chosen with the truth in view"))
    for method in FUSIONS:
        say(f"Fusing by {method} ...")
        with bar.part(method) as listener:
            demo.rows.append(_fuse(made, method, folder / method, listener))
    say("Training the coupled networks on the noisy labels alone ...")
    with bar.part(LEARNED) as listener:
        demo.rows.append(_learn(made, folder, words, listener))
    say("Estimating the truth of the held-out scans from the image and all five labels together ...")
    with bar.part(WITH_LABELS) as listener:
        demo.rows.append(_combine(made, folder, listener))
    say("For scale, training the same network on the truth itself ...")
    with bar.part(ORACLE) as listener:
        demo.rows.append(_train_on_truth(made, folder, words, listener))
    against = "the truth from image and labels" if demo.learned else "the known truth of the phantoms"
    say(f"Reviewing every annotator against {against} ...")
    estimates = folder / "combined" if demo.learned else None
    with bar.part("review") as listener:
        demo.sentences = _review(made.everyone, folder, estimates, listener)
    with bar.part("scene"):
        demo.has_scene = _scene(made.everyone, folder, estimates)
    return demo


def _fuse(made: DemoStudy, method: str, folder: Path, report: Report) -> Row:
    from NoisyLabelSegLib.fusion.study import FusionPlan, fuse_study

    with _timed() as seconds:
        fuse_study(made.study, folder, FusionPlan(method), report=report)
    return _scored(method, folder, made, seconds())


def _learn(made: DemoStudy, folder: Path, words: Sequence[str], report: Report) -> Row:
    with _timed() as seconds:
        _trained(made, folder / "run", folder / "learned", words, report, annotators=True)
    return _scored(LEARNED, folder / "learned", made, seconds())


def _combine(made: DemoStudy, folder: Path, report: Report) -> Row:
    """The truth that annotators are reviewed against: from the image and their own labels."""
    from NoisyLabelSegLib.inference import PredictionOutputs, predict_cases

    with _timed() as seconds:
        package, outputs = folder / "run" / "model.nlseg", PredictionOutputs(labels=True)
        predict_cases(package, made.everyone.cases, folder / "combined", outputs=outputs, flips=False, report=report)
    row = _scored(WITH_LABELS, folder / "combined", made, seconds())
    return replace(row, remark="given all five labels of each scan")


def _train_on_truth(made: DemoStudy, folder: Path, words: Sequence[str], report: Report) -> Row:
    """The same network trained on the truth: about what can be reached at best.

    It learns in batches half as large, that is in twice as many steps: in the few epochs of the preset it would, with
    some seeds, see nothing at all.
    """
    from NoisyLabelSegLib.training.settings import preset

    with _timed() as seconds:
        words = [f"batch={preset(PRESET).batch // 2}", *words, "target=truth"]
        _trained(made, folder / ORACLE / "run", folder / ORACLE / "learned", words, report, annotators=False)
    row = _scored(ORACLE, folder / ORACLE / "learned", made, seconds())
    return replace(row, remark="trained on the truth, in twice as many steps")


def _trained(
    made: DemoStudy, run: Path, predicted: Path, words: Sequence[str], report: Report, *, annotators: bool
) -> None:
    from NoisyLabelSegLib.inference import PredictionOutputs, predict_cases
    from NoisyLabelSegLib.training import train_study
    from NoisyLabelSegLib.training.settings import checked, preset

    trained = train_study(made.study, run, checked(preset(PRESET).with_words(words)), report=report)
    outputs = PredictionOutputs(annotators=annotators, confusion=annotators)
    predict_cases(trained.package, made.everyone.cases, predicted, outputs=outputs, report=report)


def _review(study: Study, folder: Path, estimates: Path | None, report: Report) -> list[str]:
    """Against the estimates; against the known truth where there are none that are worth it."""
    from NoisyLabelSegLib.review import annotator_sentence, write_review
    from NoisyLabelSegLib.review.truths import OWN_TRUTH

    truth = OWN_TRUTH if estimates is None else str(estimates)
    review = write_review(study, truth, folder / "review", report=report)
    found = [summary for name in review.annotators if (summary := review.overall(name)) is not None]
    return [annotator_sentence(summary, review.settings) for summary in found]


def _scene(study: Study, folder: Path, estimates: Path | None) -> bool:
    """Whether the scene was made: it needs slicer-core."""
    if importlib.util.find_spec("slicer") is None:
        return False
    from NoisyLabelSegLib.demo.scene import write_scene

    write_scene(study, estimates, folder / "demo.mrb", folder / "demo.png")
    return True


def _scored(method: str, folder: Path, made: DemoStudy, seconds: float) -> Row:
    from NoisyLabelSegLib.evaluation.scores import evaluate
    from NoisyLabelSegLib.evaluation.summary import summary

    figures: dict[str, Any] = summary(evaluate(folder, made.everyone))
    return Row(method, figures["dice"], figures["cm_rmse_column"], seconds)


@contextmanager
def _timed() -> Iterator[Callable[[], float]]:
    start = time.monotonic()
    yield lambda: time.monotonic() - start
