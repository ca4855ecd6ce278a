"""Makes a study: scans written one by one, annotators solved and drawn on them, and the study file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from NoisyLabelSegLib.cases import Annotation, Case, Image, Study, write_image, write_labels
from NoisyLabelSegLib.cases.estimates import TRUTH, FileKind, file_name
from NoisyLabelSegLib.output import output_folder
from NoisyLabelSegLib.progress import Report, silent, steps
from NoisyLabelSegLib.simulation.annotators import AnnotatorPanel, panel_to_json, read_panel
from NoisyLabelSegLib.simulation.recipe import MadeCase, Recipe
from NoisyLabelSegLib.simulation.scan import Scan
from NoisyLabelSegLib.simulation.settings import SimulationSettings, choose_annotators, choose_splits
from NoisyLabelSegLib.simulation.strength import dice_to_truth, solve_each, solve_together
from NoisyLabelSegLib.simulation.threshold import ThresholdSearch

FIRST_DAY = date(2026, 1, 5)
DAYS_BETWEEN_CASES = 3
SOLVED_PANEL = "paper-erring"
"""The panel for a wanted mean Dice where none is named: everyone in it errs, so every mean can be reached."""


@dataclass(frozen=True)
class SimulatedStudy:
    """A study that has been written, and figures about it: Dice to the truth by annotator and of the best threshold."""

    study: Study
    panel: AnnotatorPanel
    annotator_dice: Mapping[str, float]
    threshold_dice: float
    threshold_dice_per_case: float


def simulate_study(
    recipe: Recipe,
    out: str | Path,
    settings: SimulationSettings,
    *,
    force: bool = False,
    report: Report = silent,
) -> SimulatedStudy:
    """Writes the cases, draws the panel on them and writes `out/study.json`; nothing is left behind if it fails."""
    read_panel(_panel_name(recipe, settings), recipe.classes)  # refuse a bad one before long work
    with output_folder(out, force=force) as folder:
        search = ThresholdSearch()
        scans: list[Scan] = []
        cases: list[Case] = []
        for case in steps(recipe.cases, "draw the scans", report, total=recipe.total):
            search.add(list(case.phantom.channels.values()), case.phantom.truth)
            scans.append(_scan(case, len(recipe.classes), time=len(scans) / max(recipe.total - 1, 1)))
            cases.append(_write_case(case, folder))
        panel = _solved_panel(recipe, scans, settings, report)
        cases, dice = _annotate(panel, scans, cases, folder, settings, report)
        made = SimulatedStudy(
            Study(recipe.name, recipe.classes, tuple(dice), tuple(cases)),
            panel,
            dice,
            search.best_dice(),
            search.best_dice_per_case(),
        )
        replace(made.study, extra={"simulation": _provenance(made, settings)}).write(folder)
    return replace(made, study=Study.read(out))


def _panel_name(recipe: Recipe, settings: SimulationSettings) -> str:
    return settings.panel or (recipe.panel if settings.mean_dice is None else SOLVED_PANEL)


def _solved_panel(
    recipe: Recipe, scans: Sequence[Scan], settings: SimulationSettings, report: Report
) -> AnnotatorPanel:
    panel = read_panel(_panel_name(recipe, settings), recipe.classes)
    annotators = solve_each(panel.annotators, scans, settings.seed, report=report)
    if settings.mean_dice is not None:
        annotators = solve_together(annotators, scans, settings.seed, settings.mean_dice)
    return AnnotatorPanel(panel.name, annotators)


def _scan(case: MadeCase, classes: int, *, time: float) -> Scan:
    phantom = case.phantom
    return Scan(case.id, phantom.truth, case.geometry.spacing_zyx, classes, phantom.tissue, case.device, time)


def _write_case(case: MadeCase, folder: Path) -> Case:
    images = []
    for name, channel in case.phantom.channels.items():
        images.append(folder / case.id / f"{name}.nrrd")
        write_image(images[-1], Image(channel, case.geometry))
    truth = folder / case.id / TRUTH
    write_labels(truth, case.phantom.truth, case.geometry)
    return Case(
        case.id, tuple(images), truth_source=truth, extra={} if case.device is None else {"device": case.device}
    )


def _annotate(
    panel: AnnotatorPanel,
    scans: Sequence[Scan],
    cases: Sequence[Case],
    folder: Path,
    settings: SimulationSettings,
    report: Report,
) -> tuple[list[Case], dict[str, float]]:
    """Draws every annotator on every scan, for the mean Dice, and writes the labels of those who are not missing."""
    splits = choose_splits(len(scans), settings)
    wanted = choose_annotators(splits, [annotator.name for annotator in panel.annotators], settings)
    scores: dict[str, list[float]] = {annotator.name: [] for annotator in panel.annotators}
    done = []
    for number, case in enumerate(steps(cases, "draw the labels", report)):
        day = (FIRST_DAY + timedelta(days=number * DAYS_BETWEEN_CASES)).isoformat()
        annotations = {}
        for annotator in panel.annotators:
            labels = annotator.draw(scans[number], settings.seed)
            scores[annotator.name].append(dice_to_truth(labels, scans[number]))
            if annotator.name in wanted[number]:
                file = folder / case.id / file_name(FileKind.ANNOTATOR, annotator.name)
                write_labels(file, labels, case.geometry)
                annotations[annotator.name] = Annotation(file, day)
        done.append(replace(case, annotations=annotations, split=splits[number]))
    return done, {name: float(np.mean(values)) for name, values in scores.items()}


def _provenance(made: SimulatedStudy, settings: SimulationSettings) -> dict[str, Any]:
    """How the study came about, kept in its file."""
    return {
        "kind": made.study.name,
        "seed": settings.seed,
        "panel": panel_to_json(made.panel),
        "annotatorDice": {name: round(value, 6) for name, value in made.annotator_dice.items()},
        "thresholdDice": round(made.threshold_dice, 6),
        "thresholdDicePerCase": round(made.threshold_dice_per_case, 6),
    }
