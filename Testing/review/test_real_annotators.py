"""On real scans and real people: it runs, and what it says about people holds on other images."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from NoisyLabelSegLib.cases import Annotation, Case, Study, read_labels
from NoisyLabelSegLib.fusion import fuse
from NoisyLabelSegLib.review import AnnotatorStatistics, review_case, write_review

EXPERTS = [f"expert{number}_amira" for number in range(1, 6)]


def ranking(rows: list[AnnotatorStatistics], figure: str) -> list[float]:
    """The mean of a figure for each expert."""
    values = {name: [getattr(row, figure) for row in rows if row.annotator == name] for name in EXPERTS}
    return [float(np.mean([value for value in values[name] if value is not None])) for name in EXPERTS]


@pytest.mark.parametrize(("kind", "least"), [("smc", 0.7), ("fib", 0.8)])
def test_half_of_the_images_predicts_who_draws_wide_on_the_other_half(
    shared_data: Path, kind: str, least: float
) -> None:
    folder = shared_data / "bubil-cells"
    rows: list[list[AnnotatorStatistics]] = []
    for path in sorted((folder / "images").glob(f"{kind}_*.png")):
        images = {name: read_labels(folder / "masks" / name / path.name) for name in EXPERTS}
        labels = {name: (image.array > 0).astype(np.uint8) for name, image in images.items()}
        truth = fuse(list(labels.values()), "majority", classes=2).labels
        rows.append(list(review_case(labels, truth, images[EXPERTS[0]].geometry, mistakes=False).statistics))
    half = len(rows) // 2
    first, second = ([row for case in part for row in case] for part in (rows[:half], rows[half:]))
    for figure in ("boundary_bias_mm", "volume_bias_percent"):
        assert spearmanr(ranking(first, figure), ranking(second, figure)).statistic >= least


@pytest.mark.parametrize("method", ["staple", "majority"])
def test_lidc_nodules_are_reviewed(shared_data: Path, tmp_path: Path, method: str) -> None:
    cases = []
    for folder in sorted((shared_data / "lidc-nodules-3d").iterdir()):
        if folder.is_dir():
            readers = {f"reader{n}": Annotation(folder / f"reader{n}.nrrd") for n in range(1, 5)}
            cases.append(Case(folder.name, (folder / "image.nrrd",), readers, classes=2))
    study = Study("lidc", ("background", "nodule"), tuple(cases[0].annotations), tuple(cases))
    review = write_review(study, method, tmp_path / "out")
    assert len(review.statistics) == 4 * len(cases)
    assert all(0.3 < row.dice <= 1 for row in review.statistics)
    assert len(review.pictures) == 6
    assert (tmp_path / "out" / "report.html").stat().st_size < 1_000_000
