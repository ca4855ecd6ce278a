"""Makes the pictures of README and docs that need no views: python -m benchmarks.printed_pictures docs/pictures"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Case, Study
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion import DEFAULT, fuse
from NoisyLabelSegLib.output import output_file
from NoisyLabelSegLib.review import ANNOTATORS, DEFAULT_COLORS, color_table, error_map, write_review
from NoisyLabelSegLib.simulation import Recipe, SimulationSettings, digits_recipe, phantom_recipe, simulate_study

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
TENDENCIES = {
    "good": "good: hardly any errors",
    "over": "over: too much",
    "under": "under: too little",
    "wrong": "wrong: parts missing",
    "blank": "blank: marks nothing",
}
TRUTH_COLOR = "#ffe800"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="the folder for the pictures")
    out = parser.parse_args().out
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        save(story(one_case("lesions", folder, size=(96, 96, 24), seed=1)), out / "story.png")
        save(studies(folder), out / "simulated-studies.png")
        report(folder, out / "review_report.png")


def story(study: Study) -> Figure:
    """Five outlines of a scan, the truth that is estimated from them, and what each of the five got wrong."""
    case = study.cases[0]
    labels = {name: drawn for name in study.annotators if (drawn := case.labels(name)) is not None}
    fusion = fuse(list(labels.values()), classes=2)
    number, box = busiest(fusion.labels)
    image = case.image()[0][number][box]
    figure = Figure(figsize=(12, 6.6), layout="constrained")
    top, bottom = figure.subfigures(2, 1, squeeze=False, height_ratios=(1.25, 1))[:, 0]
    people, truth, agree = top.subplots(1, 3)
    show(people, image, "Labels of five annotators")
    for (name, drawn), color in zip(labels.items(), color_table(ANNOTATORS), strict=False):
        outline(people, drawn[number][box], color.css)
        people.plot([], [], color=color.css, linewidth=2, label=name)
    people.legend(loc="lower left", fontsize=9, ncols=2, framealpha=0.7)
    show(truth, image, "Estimated truth")
    outline(truth, fusion.labels[number][box], TRUTH_COLOR)
    show(agree, image, "Agreement")
    count = np.sum([drawn[number][box] > 0 for drawn in labels.values()], axis=0)
    steps = BoundaryNorm(np.arange(0.5, len(labels) + 1), 256)
    marked = agree.imshow(np.ma.masked_less(count, 1), cmap="inferno", norm=steps, alpha=0.85)
    scale = top.colorbar(marked, ax=agree, ticks=range(1, len(labels) + 1), shrink=0.8)
    scale.set_label("annotators who marked the pixel", fontsize=10)
    bottom.suptitle("Errors of each annotator against the estimated truth", fontsize=13)
    swatches = [
        Patch(facecolor=entry.css, edgecolor="black", label=entry.name) for entry in color_table(DEFAULT_COLORS)[1:4]
    ]
    swatches.append(Patch(facecolor="none", edgecolor=TRUTH_COLOR, linewidth=2, label="Outline of the estimated truth"))
    bottom.legend(handles=swatches, loc="outside lower center", ncols=len(swatches), fontsize=11, facecolor="#808080")
    for axes, (name, drawn) in zip(bottom.subplots(1, 5), labels.items(), strict=True):
        show(axes, image, TENDENCIES[name], brightness=0.6)
        axes.imshow(painted(error_map(drawn, fusion.labels)[number][box]))
        outline(axes, fusion.labels[number][box], TRUTH_COLOR, width=1)
    return figure


def studies(folder: Path) -> Figure:
    """A row per kind of phantom: the image, the truth, the annotators."""
    figure = Figure(figsize=(12, 7.6), layout="constrained")
    rows = figure.subplots(4, 7)
    for row, kind in zip(rows, ("mnist", "lesions", "tumour", "nodules"), strict=True):
        study = one_case(kind, folder, seed=3)
        case = study.cases[0]
        number = busiest(known_truth(case))[0] if case.geometry.dimension == 3 else None
        names = ("truth", *study.annotators)
        for axes, name in zip(row, ("image", *names), strict=False):
            drawn = case.truth() if name == "truth" else None if name == "image" else case.labels(name)
            image = case.image()[-1 if kind != "tumour" else 0]
            show(axes, image if number is None else image[number], f"{kind}: image" if name == "image" else name)
            if drawn is not None:
                for label, color in enumerate(color_table(ANNOTATORS)[: len(study.classes) - 1], start=1):
                    outline(axes, (drawn if number is None else drawn[number]) == label, color.css)
        for axes in row[1 + len(names) :]:
            axes.axis("off")
    return figure


def report(folder: Path, path: Path) -> None:
    """The upper part of a report as a browser shows it."""
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        raise UserError("A report is pictured by a browser, and there is none", remedy="install chromium")
    settings = SimulationSettings(cases=4, size=(64, 64, 16), seed=3)
    study = simulate_study(phantom_recipe("lesions", settings), folder / "reviewed", settings).study
    write_review(study, DEFAULT, folder / "review")
    page = (folder / "review" / "report.html").resolve().as_uri()
    with output_file(path) as partial:
        options = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            f"--user-data-dir={folder / 'browser'}",
        ]
        command = [
            browser,
            *options,
            "--window-size=1100,1560",
            "--virtual-time-budget=5000",
            f"--screenshot={partial}",
            page,
        ]
        subprocess.run(command, check=True, capture_output=True, timeout=300)


def one_case(kind: str, folder: Path, *, seed: int, size: tuple[int, ...] | None = None) -> Study:
    settings = SimulationSettings(cases=1, seed=seed, size=size)
    recipe: Recipe = digits_recipe(settings) if kind == "mnist" else phantom_recipe(kind, settings)
    return simulate_study(recipe, folder / f"{kind}-{seed}", settings).study


def known_truth(case: Case) -> NDArray[np.uint8]:
    truth = case.truth()
    assert truth is not None, "a phantom's truth is known"
    return truth


def busiest(labels: NDArray[np.uint8], margin: int = 14) -> tuple[int, tuple[slice, slice]]:
    """The slice with most marks, and a square box around them."""
    number = int(np.argmax(np.count_nonzero(labels, axis=(1, 2))))
    places = np.argwhere(labels[number])
    middle = (places.min(axis=0) + places.max(axis=0)) // 2
    half = int((places.max(axis=0) - places.min(axis=0)).max()) // 2 + margin
    rows, columns = (slice(max(int(at) - half, 0), int(at) + half) for at in middle)
    return number, (rows, columns)


def show(axes: Axes, image: NDArray[Any], title: str, *, brightness: float = 1.0) -> None:
    """Below 1 the image is dimmed, so that white marks are seen on bright places."""
    low, high = float(image.min()), float(image.max())
    axes.imshow(image, cmap="gray", interpolation="bilinear", vmin=low, vmax=low + (high - low) / brightness)
    axes.set_title(title, fontsize=11)
    axes.axis("off")


def outline(axes: Axes, mask: NDArray[Any], color: str, *, width: float = 1.6) -> None:
    if np.any(mask):
        axes.contour(np.asarray(mask, dtype=float), levels=[0.5], colors=[color], linewidths=width)


def painted(codes: NDArray[np.uint8]) -> NDArray[np.float64]:
    """An error map (H, W) in its colors, (H, W, 4)."""
    table = color_table(DEFAULT_COLORS)
    colors = np.zeros((max(entry.code for entry in table) + 1, 4))
    for entry in table:
        colors[entry.code] = entry.rgba
    found: NDArray[np.float64] = colors[codes]
    return found


def save(figure: Figure, path: Path) -> None:
    with output_file(path) as partial:
        figure.savefig(partial, dpi=80, pil_kwargs={"optimize": True})


if __name__ == "__main__":
    main()
