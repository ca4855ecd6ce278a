"""`bench scene`: making the nodes of a large case, scrolling with an error map on, and memory."""

from __future__ import annotations

import argparse
import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import Comparison, compare
from NoisyLabelSegLib.cases import Annotation, Case, Geometry, Image
from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.fusion import fuse
from NoisyLabelSegLib.progress import steps
from NoisyLabelSegLib.review import error_map, review_case

SUMMARY = "Nodes and views of 512 x 512 x 200 with 5 annotators against the fusion and error maps they show."

GRID = Geometry.plain((200, 512, 512), (0.7, 0.7, 1.0))
ROUNDS_GRID = Geometry.plain((100, 256, 256), (0.7, 0.7, 1.0))
ANNOTATORS = 5
ROUNDS = 10
VIEW_SIZE = (600, 600)

Labels = dict[str, NDArray[np.uint8]]


def run(terminal: Terminal, options: argparse.Namespace) -> dict[str, Any]:
    labels = draw(GRID)
    nodes = measure_nodes(labels, options.repeats)
    frames = measure_scrolling(labels, options.repeats)
    sizes = measure_rounds(terminal)
    results = {
        "nodes_seconds": nodes.ours_seconds,
        "fusion_and_error_maps_seconds": nodes.rival_seconds,
        "nodes_ratio": nodes.ours_seconds / nodes.rival_seconds,
        "frames_per_second_with_error_map": 1 / frames.ours_seconds,
        "frames_per_second_without": 1 / frames.rival_seconds,
        "frame_rate_ratio": frames.times_faster,
        "megabytes_after_each_round": [round(size / 1e6, 1) for size in sizes],
        "growth_after_first_round": sizes[-1] / sizes[0] - 1,
    }
    terminal.table(
        "512 x 512 x 200, 5 annotators",
        ["what", "ours", "against", "ratio", "wanted"],
        [
            ["seconds: nodes | fusion + error maps", *_figures(nodes.ours_seconds, nodes.rival_seconds), "at most 2"],
            [
                "frames/s: with error map | without",
                *_figures(1 / frames.ours_seconds, 1 / frames.rival_seconds),
                "at least 0.5",
            ],
            [
                f"MB: after {ROUNDS} rounds | after the first",
                *_figures(sizes[-1] / 1e6, sizes[0] / 1e6),
                "at most 1.05",
            ],
        ],
    )
    return results


def draw(geometry: Geometry) -> Labels:
    """An organ of a quarter of the volume's width; annotators draw it larger or smaller and a little aside."""
    middle = np.array(geometry.shape) / 2
    radius = geometry.shape[2] * geometry.spacing[0] / 4
    labels = {}
    for number in range(ANNOTATORS):
        axes = [
            (np.arange(n) - center - number) * edge
            for n, center, edge in zip(geometry.shape, middle, geometry.spacing_zyx, strict=True)
        ]
        z, y, x = np.ix_(*axes)
        labels[f"annotator{number + 1}"] = (z * z + y * y + x * x <= (radius + number - 2) ** 2).astype(np.uint8)
    return labels


def measure_nodes(labels: Labels, repeats: int) -> Comparison:
    """Making the nodes of truth and error maps, new each time, against computing what they show."""
    from NoisyLabelSegLib.scene.folder import CaseFolder
    from NoisyLabelSegLib.scene.headless import HeadlessSlicer
    from NoisyLabelSegLib.scene.results import ResultNodes

    def compute() -> tuple[NDArray[np.uint8], Labels]:
        truth = fuse(list(labels.values()), "staple", 2).labels
        return truth, {name: error_map(drawn, truth) for name, drawn in labels.items()}

    truth, maps = compute()
    with HeadlessSlicer() as app:

        def show() -> None:
            folder = CaseFolder(app.scene, "case")
            folder.remove()
            results = ResultNodes(folder, GRID)
            results.truth(truth)
            for name, codes in maps.items():
                results.errors(name, codes)

        return compare(show, compute, repeats=repeats)


def measure_scrolling(labels: Labels, repeats: int) -> Comparison:
    """Seconds per frame of a slice view that moves slice by slice, with an error map as a layer and without."""
    from NoisyLabelSegLib.scene.headless import HeadlessSlicer
    from NoisyLabelSegLib.scene.loading import loadCase
    from NoisyLabelSegLib.scene.offscreen import OffscreenView
    from NoisyLabelSegLib.scene.results import ResultNodes
    from NoisyLabelSegLib.scene.views import ReviewViews

    first, second = list(labels.values())[:2]
    image = np.random.default_rng(0).normal(100, 20, GRID.shape).astype(np.int16)
    with HeadlessSlicer() as app:
        folder = loadCase(app.scene, Case("case", (Image(image, GRID),)))
        errors = ResultNodes(folder, GRID).errors("annotator1", error_map(first, second))
        view = OffscreenView(app.scene, app.applicationLogic, "Red", VIEW_SIZE)
        ReviewViews(app.scene, app.applicationLogic).showOne(folder, "annotator1")
        view.fit()
        offsets = np.arange(40, 160, 4) * GRID.spacing[2]

        def scroll(layer: str | None) -> Callable[[], None]:
            def move() -> None:
                view.compositeNode.SetLabelVolumeID(layer)
                for offset in offsets:
                    view.node.SetSliceOffset(offset)
                    view.render()

            return move

        compared = compare(scroll(errors.GetID()), scroll(None), repeats=repeats)
        view.close()
    return Comparison(compared.ours_seconds / len(offsets), compared.rival_seconds / len(offsets))


def measure_rounds(terminal: Terminal, geometry: Geometry = ROUNDS_GRID) -> list[int]:
    """The size of the process in bytes after each round of load, fuse, review, show and remove in one scene."""
    from NoisyLabelSegLib.scene.headless import HeadlessSlicer

    case = drawn_case(geometry)
    sizes = []
    with HeadlessSlicer() as app:
        for _ in steps(range(ROUNDS), "rounds", terminal.progress):
            one_round(app, case)
            gc.collect()
            sizes.append(resident_bytes())
    return sizes


def drawn_case(geometry: Geometry) -> Case:
    """What draw() draws, on an empty image."""
    image = Image(np.zeros(geometry.shape, np.int16), geometry)
    annotations = {name: Annotation(Image(drawn, geometry)) for name, drawn in draw(geometry).items()}
    return Case("case", (image,), annotations, classes=2)


def one_round(app: Any, case: Case) -> None:
    """Load, fuse, review, show in views and remove."""
    from NoisyLabelSegLib.scene.layout import viewName
    from NoisyLabelSegLib.scene.loading import loadCase
    from NoisyLabelSegLib.scene.offscreen import OffscreenView
    from NoisyLabelSegLib.scene.results import ResultNodes
    from NoisyLabelSegLib.scene.views import ReviewViews

    folder = loadCase(app.scene, case)
    labels = {name: drawn for name in case.annotators if (drawn := case.labels(name)) is not None}
    fusion = fuse(list(labels.values()), "staple", 2)
    results = ResultNodes(folder, case.geometry)
    results.truth(fusion.labels)
    results.probability(fusion.probabilities)
    results.review(review_case(labels, fusion.labels, case.geometry, case=case.id))
    views = ReviewViews(app.scene, app.applicationLogic)
    views.showEach(folder)
    opened = [
        OffscreenView(app.scene, app.applicationLogic, viewName(place), (300, 300)) for place in range(len(labels))
    ]
    for view in opened:
        view.picture()
        view.close()
    views.restore()
    folder.remove()


def _figures(ours: float, against: float) -> tuple[str, str, str]:
    return f"{ours:.2f}", f"{against:.2f}", f"{ours / against:.3f}"


def resident_bytes() -> int:
    """What the process holds of the machine's memory, as the system counts it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS:"))
