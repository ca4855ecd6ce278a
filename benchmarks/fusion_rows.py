"""The rows of the fusion table with a known truth: simulated panels, numbers of annotators and generated cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.fusion_cases import generate
from NoisyLabelSegLib.simulation import Scan, SimulationSettings, digits_recipe, phantom_recipe, read_panel, solve_each
from NoisyLabelSegLib.simulation.recipe import Recipe

Labels = NDArray[np.uint8]


@dataclass(frozen=True)
class Task:
    """Labels (*shape) to fuse, and the labels (*shape) that the result is scored against."""

    labels: Sequence[Labels]
    truth: Labels


@dataclass(frozen=True)
class Row:
    """Tasks whose mean is one row of the table, in groups that have the same annotators and are fused together."""

    name: str
    groups: Sequence[Sequence[Task]]
    classes: int = 2

    @classmethod
    def case_by_case(cls, name: str, tasks: Sequence[Task], classes: int = 2) -> Row:
        """Every task is fused by itself."""
        return cls(name, [[task] for task in tasks], classes)


MakeRows = Callable[[], Iterator[Row]]
"""Makes the rows of one kind when it is called, which may take a while."""


@dataclass(frozen=True)
class PanelRow:
    """A row of a simulated kind: a panel, the annotators to leave out, and how many of the rest to use (0: all)."""

    name: str
    panel: str
    without: tuple[str, ...] = ()
    first: int = 0
    with_good: bool = False


_PAPER = (
    PanelRow("paper", "paper"),
    PanelRow("paper without good", "paper", without=("good",)),
    PanelRow("paper-erring", "paper-erring"),
)
_RADIOLOGISTS = (
    PanelRow("radiologists with good", "radiologists", with_good=True),
    PanelRow("radiologists", "radiologists"),
)
_READERS = (PanelRow("readers", "readers"), PanelRow("readers without good", "readers", without=("good",)))
_UNEVEN = (PanelRow("one very bad of three", "one-bad"), PanelRow("two of five alike", "two-alike"))
_COUNTS = tuple(PanelRow(f"{count} annotators", "nine-readers", first=count) for count in (2, 3, 4, 5, 9))
_CLASSES = tuple(
    PanelRow(f"{panel}{' without good' if without else ''}", panel, without=without)
    for panel in ("paper-classes", "readers-classes")
    for without in ((), ("good",))
)

PANEL_ROWS: Mapping[str, tuple[PanelRow, ...]] = {
    "digits": _PAPER + _UNEVEN,
    "lesions": _PAPER + _RADIOLOGISTS + _READERS + _UNEVEN + _COUNTS,
    "tumor": _CLASSES,
    "nodules": _RADIOLOGISTS + _READERS + _UNEVEN + _COUNTS,
}
"""Each simulated kind with its own panels, with and without a perfect annotator."""

CASES = {"digits": 40, "lesions": 6, "tumor": 6, "nodules": 8}
GENERATED = ("a", "b", "c", "s")


def known_truth_rows(seed: int) -> Mapping[str, MakeRows]:
    """What makes the rows of every simulated kind and generated case, by name."""
    return {kind: partial(_simulated, kind, seed) for kind in PANEL_ROWS} | {
        name: partial(_generated, name, seed) for name in GENERATED
    }


def _simulated(kind: str, seed: int) -> Iterator[Row]:
    recipe = _recipe(kind, seed)
    made = list(recipe.cases)
    scans = [
        Scan(
            case.id,
            case.phantom.truth,
            case.geometry.spacing_zyx,
            len(recipe.classes),
            case.phantom.tissue,
            case.device,
            number / (len(made) - 1),
        )
        for number, case in enumerate(made)
    ]
    drawn: dict[str, dict[str, list[Labels]]] = {}
    for row in PANEL_ROWS[kind]:
        if row.panel not in drawn:
            drawn[row.panel] = _drawn(row.panel, recipe.classes, scans, seed)
        labels = {name: images for name, images in drawn[row.panel].items() if name not in row.without}
        chosen = list(labels.values())[: row.first or None]
        if row.with_good:
            chosen.append([scan.truth for scan in scans])
        tasks = [Task(images, scan.truth) for scan, images in zip(scans, zip(*chosen, strict=True), strict=True)]
        yield Row(f"{kind}, {row.name}", [tasks], len(recipe.classes))
        yield Row.case_by_case(f"{kind}, {row.name}, each case", tasks, len(recipe.classes))


def _recipe(kind: str, seed: int) -> Recipe:
    settings = SimulationSettings(cases=CASES[kind], seed=seed)
    return (
        digits_recipe(settings) if kind == "digits" else phantom_recipe({"tumor": "tumour"}.get(kind, kind), settings)
    )


def _drawn(panel: str, classes: Sequence[str], scans: Sequence[Scan], seed: int) -> dict[str, list[Labels]]:
    annotators = solve_each(read_panel(panel, classes).annotators, scans, seed)
    return {annotator.name: [annotator.draw(scan, seed) for scan in scans] for annotator in annotators}


def _generated(name: str, seed: int) -> Iterator[Row]:
    case = generate(name, seed)
    yield Row.case_by_case(f"case {name}", [Task(case.labels, case.truth)], case.classes)
