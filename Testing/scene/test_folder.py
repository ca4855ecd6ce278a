"""One folder per case: nothing twice, found again, removed whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from NoisyLabelSegLib.cases import Case
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.loading import loadCase
from NoisyLabelSegLib.scene.nodes import IMAGE_REFERENCE, Role

Node = Any


def ids(scene: Node) -> set[str]:
    return {node.GetID() for node in scene.GetNodes()}


def test_a_case_has_its_image_and_annotators_under_one_folder(scene: Node, loaded: CaseFolder) -> None:
    hierarchy = scene.GetSubjectHierarchyNode()
    assert hierarchy.GetItemName(loaded.item()) == "case1"
    assert hierarchy.GetNumberOfItemChildren(loaded.item()) == 4
    assert loaded.annotators == ("reader1", "reader2", "reader3")
    assert loaded.image.GetName() == "case1"


def test_loading_the_same_case_twice_doubles_nothing(scene: Node, small_case: Callable[..., Case]) -> None:
    loadCase(scene, small_case())
    before = ids(scene)
    loadCase(scene, small_case())
    assert ids(scene) == before
    assert scene.GetSubjectHierarchyNode().GetNumberOfItemChildren(CaseFolder(scene, "case1").item()) == 4


def test_cases_of_the_same_id_in_two_studies_are_two_cases(scene: Node, small_case: Callable[..., Case]) -> None:
    one = loadCase(scene, small_case(), study="a")
    other = loadCase(scene, small_case(), study="b")
    assert one.item() != other.item()
    assert one.image is not other.image
    assert len(CaseFolder.all(scene)) == 2


def test_removing_a_case_leaves_the_scene_as_it_was(scene: Node, small_case: Callable[..., Case]) -> None:
    before, items = ids(scene), scene.GetSubjectHierarchyNode().GetNumberOfItems()
    loadCase(scene, small_case()).remove()
    assert ids(scene) == before
    assert scene.GetSubjectHierarchyNode().GetNumberOfItems() == items


def test_every_node_refers_to_the_image(loaded: CaseFolder) -> None:
    for node in loaded.nodes(Role.ANNOTATOR):
        assert node.GetNodeReference(IMAGE_REFERENCE) is loaded.image


def test_nodes_follow_the_transform_of_the_image(scene: Node, small_case: Callable[..., Case]) -> None:
    folder = loadCase(scene, small_case())
    transform = scene.AddNewNodeByClass("vtkMRMLLinearTransformNode", "shift")
    folder.image.SetAndObserveTransformNodeID(transform.GetID())
    loadCase(scene, small_case())
    assert {node.GetParentTransformNode() for node in folder.nodes()} == {transform}
