"""The Slicer scene of the demo: a held-out scan, the estimated truth and the error maps of all annotators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Case, Geometry, Study
from NoisyLabelSegLib.cases.stored_estimates import stored_estimates
from NoisyLabelSegLib.review import review_case


def write_scene(study: Study, estimates: Path | None, scene: Path, picture: Path) -> None:
    """Writes `scene` (.mrb) and `picture` (.png) of the case with most of the estimated (None: the known) truth."""
    from NoisyLabelSegLib.scene import HeadlessSlicer, ResultNodes, ReviewViews, loadCase, reviewPicture, writePng
    from NoisyLabelSegLib.scene.headless import saveScene

    case, truth, probability = _largest(study, estimates)
    labels = {name: drawn for name in case.annotators if (drawn := case.labels(name)) is not None}
    place = middle(truth, case.geometry)
    with HeadlessSlicer() as app:
        folder = loadCase(app.scene, case, study.classes, study=study.name, annotators=study.annotators)
        results = ResultNodes(folder, case.geometry, study.classes)
        results.truth(truth)
        if probability is not None:
            results.probability(probability)
        results.review(review_case(labels, truth, case.geometry, classes=study.classes, case=case.id))
        writePng(picture, reviewPicture(app, folder, place=place, zoom=1.5))
        views = ReviewViews(app.scene, app.applicationLogic)
        views.showEach(folder)
        views.jumpTo(folder, place, centered=False, mark=False)
        saveScene(app.scene, scene)


def _largest(study: Study, estimates: Path | None) -> tuple[Case, NDArray[np.uint8], NDArray[Any] | None]:
    """The case with most of the truth, its truth, and its probabilities where they were estimated."""
    if estimates is None:
        known = [(case, truth) for case in study.cases if (truth := case.truth()) is not None]
        return (*max(known, key=lambda pair: int(np.count_nonzero(pair[1]))), None)
    found = max(stored_estimates(estimates, study), key=lambda each: int(np.count_nonzero(each.truth())))
    return found.case, found.truth(), found.probabilities()


def middle(labels: NDArray[np.uint8], geometry: Geometry) -> list[float]:
    """The middle (LPS, mm) of the marked voxels in the slice that has most of them."""
    slice_ = int(np.argmax(np.count_nonzero(labels, axis=(1, 2))))
    indices = np.argwhere(labels[slice_]).mean(axis=0)
    return [float(value) for value in geometry.points([slice_, *indices])]
