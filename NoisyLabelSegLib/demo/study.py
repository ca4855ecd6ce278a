"""The study of the demo and its Slicer scene: each scan labeled by one of five simulated annotators."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from NoisyLabelSegLib.cases import Case, Study
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.progress import Report, silent
from NoisyLabelSegLib.simulation import SimulationSettings, phantom_recipe, simulate_study
from NoisyLabelSegLib.simulation.threshold import ThresholdSearch

HELD_OUT = 1 / 3
FEWEST = 3
"""Scans: two to learn from, one to be judged on."""
EVERYONE = "everyone.json"


@dataclass(frozen=True)
class DemoStudy:
    """`study` is what the methods see, one label a scan. `everyone` holds the held-out scans with all five labels.

    The labels that only `everyone` has are for scoring and for the scene; no method learns from them.
    """

    study: Study
    everyone: Study

    def threshold_dice(self) -> float:
        """The Dice of the best single intensity threshold on the held-out scans, chosen with their truth in view."""
        search = ThresholdSearch()
        for case in self.everyone.cases:
            truth = case.truth()
            assert truth is not None, "a phantom's truth is known"
            search.add(list(case.image()), truth)
        return search.best_dice()


def make_demo_study(folder: Path, *, cases: int, seed: int, report: Report = silent) -> DemoStudy:
    """Writes `study.json` and `everyone.json` into `folder`; a third of the cases is held out, as split `test`."""
    if cases < FEWEST:
        raise UserError(f"A demo cannot be made of {cases} scans", remedy=f"give --cases {FEWEST} or more")
    settings = SimulationSettings(
        cases=cases,
        seed=seed,
        missing=None,
        shares=(1 - HELD_OUT, 0.0, HELD_OUT),
        dense_splits=("test",),
    )
    drawn = simulate_study(phantom_recipe("lesions", settings), folder, settings, report=report).study
    held_out = [case for case in drawn.cases if case.split == "test"]
    turns = {case.id: drawn.annotators[turn % len(drawn.annotators)] for turn, case in enumerate(held_out)}
    seen = replace(drawn, cases=tuple(_only(case, turns.get(case.id)) for case in drawn.cases))
    seen.write(force=True)
    replace(drawn, name=f"{drawn.name}, everyone", cases=tuple(held_out)).write(name=EVERYONE)
    return DemoStudy(Study.read(folder), Study.read(folder / EVERYONE))


def _only(case: Case, annotator: str | None) -> Case:
    """The case as if nobody else had labeled it; unchanged where nobody is named."""
    if annotator is None:
        return case
    return replace(case, annotations={annotator: case.annotations[annotator]})
