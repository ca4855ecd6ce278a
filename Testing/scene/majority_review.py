"""A case in the scene, reviewed against the majority vote."""

from __future__ import annotations

from typing import Any

from NoisyLabelSegLib.cases import Case
from NoisyLabelSegLib.fusion import Fusion, fuse
from NoisyLabelSegLib.review import ReviewOptions, review_case
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.loading import loadCase
from NoisyLabelSegLib.scene.results import ResultNodes


def majority_review(scene: Any, case: Case, study: str = "") -> tuple[CaseFolder, ResultNodes, Fusion]:
    """Loads the case and shows its majority vote, how sure it is, and everyone's errors."""
    folder = loadCase(scene, case, study=study)
    labels = {name: case.labels(name) for name in case.annotators}
    fusion = fuse(list(labels.values()), "majority", 2)
    results = ResultNodes(folder, case.geometry)
    results.truth(fusion.labels)
    results.probability(fusion.probabilities)
    settings = ReviewOptions(smallest_depth=0)
    results.review(review_case(labels, fusion.labels, case.geometry, case=case.id, settings=settings))
    return folder, results, fusion
