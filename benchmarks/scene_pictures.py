"""Makes the pictures of docs/scene.md: python -m benchmarks.scene_pictures docs/pictures"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from NoisyLabelSegLib.cases import Case, Study
from NoisyLabelSegLib.demo.scene import middle
from NoisyLabelSegLib.fusion import DEFAULT, fuse
from NoisyLabelSegLib.review import DEFAULT_COLORS, PAPER, review_case
from NoisyLabelSegLib.simulation import SimulationSettings, phantom_recipe, simulate_study

PICTURES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "one_view_each": ("lesions", DEFAULT_COLORS, {"zoom": 1.7}),
    "paper_colors": ("lesions", PAPER, {"zoom": 2.0, "annotators": ["good", "over", "under", "wrong"]}),
    "several_classes": ("tumour", DEFAULT_COLORS, {"zoom": 2.0}),
    "confidence_overlay": ("nodules", DEFAULT_COLORS, {"confidence": True, "annotators": ["reader1", "reader3"]}),
}
"""File name to the kind of phantom, the table of colors and what reviewPicture() is told."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="the folder for the pictures")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name, (kind, colors, options) in PICTURES.items():
            draw(simulated(kind, Path(folder)), arguments.out / f"{name}.png", colors, options)


def simulated(kind: str, folder: Path) -> Study:
    """A study of one phantom, made once."""
    if not (folder / kind).exists():
        settings = SimulationSettings(cases=1, seed=3)
        simulate_study(phantom_recipe(kind, settings), folder / kind, settings)
    return Study.read(folder / kind)


def draw(study: Study, path: Path, colors: str, options: dict[str, Any]) -> None:
    """Fuses, reviews and shows the only case of a study, at the slice where most of the truth lies."""
    from NoisyLabelSegLib.scene import HeadlessSlicer, ResultNodes, loadCase, reviewPicture, writePng

    case: Case = study.cases[0]
    labels = {name: drawn for name in case.annotators if (drawn := case.labels(name)) is not None}
    method = "mean" if options.get("confidence") else DEFAULT  # its probabilities are the shares of those who agree
    fusion = fuse(list(labels.values()), method, len(study.classes))
    with HeadlessSlicer() as app:
        folder = loadCase(app.scene, case, study.classes, annotators=study.annotators)
        results = ResultNodes(folder, case.geometry, study.classes)
        results.truth(fusion.labels)
        results.probability(fusion.probabilities)
        review = review_case(labels, fusion.labels, case.geometry, classes=study.classes, case=case.id)
        results.review(review, colors=colors)
        picture = reviewPicture(app, folder, place=middle(fusion.labels, case.geometry), **options)
        writePng(path, picture)


if __name__ == "__main__":
    main()
