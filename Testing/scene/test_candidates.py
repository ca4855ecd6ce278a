"""A scene is searched for what looks like a case."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.scene.candidates import findCandidates
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.scene.placing import geometryOf
from NoisyLabelSegLib.scene.results import ResultNodes
from NoisyLabelSegLib.scene.scene_case import adoptNodes, caseFromScene, caseOfFolder
from NoisyLabelSegLib.scene.sources import AnnotatorSource
from NoisyLabelSegLib.scene.volumes import SCALAR, VECTOR

Node = Any
GRID = Geometry.plain((6, 8, 10), (1.0, 1.0, 2.0))


def mask(shift: int = 0) -> Any:
    labels = np.zeros(GRID.shape, dtype=np.uint8)
    labels[1:4, 2:6, 2 + shift : 6 + shift] = 1
    return labels


def test_labelmaps_on_the_grid_of_a_volume_look_like_its_annotators(
    scene: Node, add_image: Callable[..., Node], add_volume: Callable[..., Node]
) -> None:
    head = add_image("MRHead", GRID)
    add_image("elsewhere", Geometry((6, 8, 10), (1.0, 1.0, 2.0), (500.0, 0.0, 0.0), GRID.direction))
    for name in ("MRHead_anna", "MRHead_ben-label", "carl"):
        add_volume(name, mask(), GRID)
    (candidate,) = findCandidates(scene)
    assert candidate.volumes == (head,)
    assert candidate.sentence == "3 annotators of MRHead: anna, ben, carl"


def test_volumes_on_one_grid_are_channels_of_one_case(
    scene: Node, add_image: Callable[..., Node], add_volume: Callable[..., Node]
) -> None:
    channels = (add_image("T1", GRID), add_image("T2", GRID))
    add_volume("anna", mask(), GRID)
    (candidate,) = findCandidates(scene)
    assert candidate.volumes == channels


def test_segments_that_overlap_are_annotators_and_others_are_classes(
    scene: Node, add_image: Callable[..., Node], add_segmentation: Callable[..., Node]
) -> None:
    add_image("MRHead", GRID)
    add_segmentation("readers", {"anna": mask(), "ben": mask(1)}, GRID)
    add_segmentation("carl", {"left": mask(), "right": mask(4)}, GRID)
    (candidate,) = findCandidates(scene)
    assert [source.name for source in candidate.sources] == ["anna", "ben", "carl"]
    assert [bool(source.segmentId) for source in candidate.sources] == [True, True, False]


def test_labels_on_another_grid_belong_to_the_volume_they_lie_in(
    scene: Node, add_image: Callable[..., Node], add_volume: Callable[..., Node]
) -> None:
    add_image("far", Geometry((6, 8, 10), (1.0, 1.0, 2.0), (500.0, 0.0, 0.0), GRID.direction))
    head = add_image("MRHead", GRID)
    add_volume("anna", np.ones((3, 4, 5), np.uint8), Geometry.plain((3, 4, 5), (1.5, 1.5, 3.0)))
    add_volume("nowhere", np.ones((3, 4, 5), np.uint8), Geometry((3, 4, 5), (1, 1, 1), (-900, 0, 0), GRID.direction))
    (candidate,) = findCandidates(scene)
    assert candidate.volumes == (head,)
    assert [source.name for source in candidate.sources] == ["anna"]


def test_results_of_earlier_runs_are_no_annotators(scene: Node, loaded: CaseFolder) -> None:
    results = ResultNodes(loaded, geometryOf(loaded.image))
    results.truth(np.zeros((8, 10, 12), np.uint8))
    results.errors("reader1", np.zeros((8, 10, 12), np.uint8))
    results.probability(np.ones((2, 8, 10, 12), np.float32))
    (candidate,) = findCandidates(scene)
    assert candidate.volumes == (loaded.image,)
    assert [source.name for source in candidate.sources] == ["reader1", "reader2", "reader3"]


def test_an_empty_scene_has_no_candidates(scene: Node) -> None:
    assert findCandidates(scene) == []


def test_a_scene_becomes_a_case(add_image: Callable[..., Node], add_volume: Callable[..., Node]) -> None:
    head = add_image("MRHead", GRID)
    found = caseFromScene([head], [AnnotatorSource("anna", add_volume("a", mask(), GRID))])
    assert found.case.id == "MRHead"
    assert found.classes == ("background", "foreground")
    np.testing.assert_array_equal(found.case.labels("anna"), mask())
    assert found.case.image().shape == (1, 6, 8, 10)


def test_two_annotators_of_the_same_name_are_told_apart(
    add_image: Callable[..., Node], add_volume: Callable[..., Node]
) -> None:
    node = add_volume("a", mask(), GRID)
    sources = [AnnotatorSource(name, node) for name in ("anna", "Anna", "anna (2)", "ben", "anna")]
    found = caseFromScene([add_image("MRHead", GRID)], sources)
    assert found.case.annotators == ("anna", "Anna (3)", "anna (2)", "ben", "anna (4)")


def test_classes_are_the_names_of_the_segments_of_all(
    add_image: Callable[..., Node], add_segmentation: Callable[..., Node]
) -> None:
    anna = add_segmentation("anna", {"tumor": mask(), "edema": mask(4)}, GRID)
    ben = add_segmentation("ben", {"edema": mask(4)}, GRID)
    found = caseFromScene([add_image("MRHead", GRID)], [AnnotatorSource("anna", anna), AnnotatorSource("ben", ben)])
    assert found.classes == ("background", "tumor", "edema")
    np.testing.assert_array_equal(found.case.labels("anna"), mask() + 2 * mask(4))
    np.testing.assert_array_equal(found.case.labels("ben"), 2 * mask(4))


def test_a_volume_with_components_has_as_many_channels(
    add_image: Callable[..., Node], add_volume: Callable[..., Node]
) -> None:
    head = add_image("MRHead", GRID)
    four = add_volume("perfusion", np.zeros((5, *GRID.shape), np.float32), GRID, kind=VECTOR)
    assert caseFromScene([head, four], []).case.image().shape == (6, 6, 8, 10)


def test_a_channel_on_another_grid_is_refused(add_image: Callable[..., Node]) -> None:
    other = add_image("T2", Geometry.plain((6, 8, 11), (1.0, 1.0, 2.0)))
    with pytest.raises(UserError, match=r"T2 cannot be a channel beside T1: its size is 11 x 8 x 6"):
        caseFromScene([add_image("T1", GRID), other], [])


def test_without_a_volume_there_is_no_case() -> None:
    with pytest.raises(UserError, match="No volume is chosen"):
        caseFromScene([], [])


def test_adopted_nodes_are_a_case_of_ours(
    scene: Node, add_image: Callable[..., Node], add_volume: Callable[..., Node]
) -> None:
    head, labels = add_image("MRHead", GRID), add_volume("MRHead_anna", mask(), GRID)
    (candidate,) = findCandidates(scene)
    folder = adoptNodes(scene, "patient 7", candidate.volumes, candidate.sources)
    assert folder.image is head
    assert folder.find(Role.ANNOTATOR, annotator="anna") is labels
    np.testing.assert_array_equal(caseOfFolder(folder).case.labels("anna"), mask())


def test_adopted_segments_are_annotators_again(
    scene: Node, add_image: Callable[..., Node], add_segmentation: Callable[..., Node]
) -> None:
    add_image("MRHead", GRID)
    add_segmentation("readers", {"anna": mask(), "ben": mask(1)}, GRID)
    (candidate,) = findCandidates(scene)
    case = caseOfFolder(adoptNodes(scene, "patient 7", candidate.volumes, candidate.sources)).case
    assert case.annotators == ("anna", "ben")
    np.testing.assert_array_equal(case.labels("ben"), mask(1))
    assert findCandidates(scene)[0].sources == candidate.sources


def test_an_image_of_zeros_and_ones_is_an_image(scene: Node, add_volume: Callable[..., Node]) -> None:
    add_volume("mask-like image", mask(), GRID, kind=SCALAR)
    add_volume("anna", mask(), GRID)
    assert findCandidates(scene)[0].sentence == "1 annotator of mask-like image: anna"
