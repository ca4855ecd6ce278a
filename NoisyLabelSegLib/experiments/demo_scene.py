"""The demo's Slicer scene: a held-out scan, the learned truth, the errors of all five annotators; and its picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.experiments.scene_pictures import middle
from NoisyLabelSegLib.metrics.predictions import find_predictions
from NoisyLabelSegLib.review import review_case


def write_scene(study: Study, learned: Path, scene: Path, picture: Path) -> None:
    """Writes `scene` (.mrb) and `picture` (.png) of the case with most of the learned truth."""
    from NoisyLabelSegLib.scene import HeadlessSlicer, ResultNodes, ReviewViews, loadCase, reviewPicture, writePng
    from NoisyLabelSegLib.scene.saving import saveScene

    predictions = find_predictions(learned, study)
    prediction = max(predictions, key=lambda each: int(np.count_nonzero(each.truth())))
    case, truth, probability = prediction.case, prediction.truth(), prediction.probability()
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
