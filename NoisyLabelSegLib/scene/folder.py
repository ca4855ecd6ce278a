"""The nodes of one case, under one subject-hierarchy folder; known by their tags, so a reopened scene needs no more."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import vtk

from NoisyLabelSegLib.scene.arrays import Node
from NoisyLabelSegLib.scene.nodes import IMAGE_REFERENCE, PREFIX, Role, Tag, giveBackMemory, removeNodes

_CLASSES = PREFIX + "classes"


class CaseFolder:
    """Finds or makes the nodes of a case; two folders of the same case and study are the same folder."""

    def __init__(self, scene: Node, case: str, study: str = "") -> None:
        self.scene, self.case, self.study = scene, case, study

    @classmethod
    def all(cls, scene: Node) -> list[CaseFolder]:
        """The cases that a scene holds, for example after it was opened from a file."""
        tags = (Tag.read(node) for node in scene.GetNodes())
        known = dict.fromkeys((tag.case, tag.study) for tag in tags if tag is not None)
        return [cls(scene, case, study) for case, study in known]

    def find(self, role: Role, *, annotator: str = "", label: str = "") -> Node | None:
        wanted = Tag(role, self.case, self.study, annotator, label)
        return next((node for node in self.scene.GetNodes() if Tag.read(node) == wanted), None)

    def nodes(self, *roles: Role) -> list[Node]:
        """The nodes of these roles (all if none is named), in the order they were added."""
        return [node for node, tag in self._tagged() if not roles or tag.role in roles]

    @property
    def image(self) -> Node | None:
        """The first channel, on whose grid and under whose transform everything lies."""
        return next(iter(self.nodes(Role.IMAGE)), None)

    def keepClasses(self, classes: Sequence[str]) -> tuple[str, ...]:
        """Keeps the names of the classes, background first, with the image; without any, returns those kept before."""
        image = self.image
        if image is not None and classes:
            image.SetAttribute(_CLASSES, json.dumps(list(classes)))
        kept = image.GetAttribute(_CLASSES) if image is not None else None
        return tuple(classes) or tuple(json.loads(kept or "[]"))

    @property
    def annotators(self) -> tuple[str, ...]:
        """The names of all annotators of whom there is anything, in the order they were added."""
        return tuple(dict.fromkeys(tag.annotator for _, tag in self._tagged() if tag.annotator))

    def put(self, className: str, role: Role, name: str, *, annotator: str = "", label: str = "") -> Node:
        """The node of this role, made and put into the folder where it is missing."""
        node = self.find(role, annotator=annotator, label=label)
        if node is None:
            node = self.scene.AddNewNodeByClass(className, self.scene.GenerateUniqueName(name))
            self.adopt(node, role, annotator=annotator, label=label)
        self.placeWithImage(node)
        return node

    def adopt(self, node: Node, role: Role, *, annotator: str = "", label: str = "") -> None:
        """Takes a node of the scene into the case, as it is."""
        Tag(role, self.case, self.study, annotator, label).write(node)
        hierarchy = self.scene.GetSubjectHierarchyNode()
        item = hierarchy.GetItemByDataNode(node)
        if item:
            hierarchy.SetItemParent(item, self.item())
        else:  # the application makes the item by itself, the wheel does not
            hierarchy.CreateItem(self.item(), node)

    def placeWithImage(self, node: Node) -> None:
        """Lets a node refer to the image and follow its transform."""
        image = self.image
        if image is None or node is image:
            return
        node.SetNodeReferenceID(IMAGE_REFERENCE, image.GetID())
        if node.IsA("vtkMRMLTransformableNode"):
            node.SetAndObserveTransformNodeID(image.GetTransformNodeID())

    def item(self) -> int:
        """The folder in the subject hierarchy."""
        hierarchy = self.scene.GetSubjectHierarchyNode()
        found = self._item()
        if found is not None:
            return found
        item: int = hierarchy.CreateFolderItem(hierarchy.GetSceneItemID(), self.case)
        hierarchy.SetItemAttribute(item, PREFIX + "case", self.case)
        hierarchy.SetItemAttribute(item, PREFIX + "study", self.study)
        return item

    def remove(self) -> None:
        """Takes the case out of the scene: its nodes, what only they use, and the folder if nothing else is in it."""
        removeNodes(self.scene, self.nodes())
        item, hierarchy = self._item(), self.scene.GetSubjectHierarchyNode()
        if item is not None and not hierarchy.GetNumberOfItemChildren(item):
            hierarchy.RemoveItem(item)
        giveBackMemory()

    def _item(self) -> int | None:
        hierarchy = self.scene.GetSubjectHierarchyNode()
        items = vtk.vtkIdList()
        hierarchy.GetItemChildren(hierarchy.GetSceneItemID(), items, True)
        for item in (items.GetId(index) for index in range(items.GetNumberOfIds())):
            attributes = (hierarchy.GetItemAttribute(item, PREFIX + name) for name in ("case", "study"))
            if tuple(attributes) == (self.case, self.study):
                return int(item)
        return None

    def _tagged(self) -> Iterator[tuple[Node, Tag]]:
        for node in self.scene.GetNodes():
            tag = Tag.read(node)
            if tag is not None and (tag.case, tag.study) == (self.case, self.study):
                yield node, tag
