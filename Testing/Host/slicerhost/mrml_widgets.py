"""The few qMRML widgets that the panel uses; they list what is in the real scene, once they have been given it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from PySide6.QtCore import Property, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget


class qMRMLWidget(QWidget):
    """The root of a .ui file: hands its scene on to the children that the file connects to it."""

    mrmlSceneChanged = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scene: Any = None

    def setMRMLScene(self, scene: Any) -> None:
        self._scene = scene
        self.mrmlSceneChanged.emit(scene)

    def mrmlScene(self) -> Any:
        return self._scene


class qSlicerScriptedLoadableModuleWidget(qMRMLWidget):
    """The parent of the module's widgets; `isEntered` while the module is the one in front."""

    isEntered = False


class qMRMLNodeComboBox(QWidget):
    """Chooses one node of given classes; empty until it has a scene."""

    currentNodeChanged = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._box = QComboBox(self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._box)
        self._scene: Any = None
        self._types: tuple[str, ...] = ()
        self._ids: list[str | None] = []
        self._options = {"showChildNodeTypes": True, "noneEnabled": False, "showHidden": False}
        self._watch = _Watch()
        self.destroyed.connect(self._watch.stop)
        self._box.currentIndexChanged.connect(self._announce)

    def setMRMLScene(self, scene: Any) -> None:
        self._watch.stop()
        self._scene = scene
        events = (scene.NodeAddedEvent, scene.NodeRemovedEvent, scene.EndImportEvent, scene.EndCloseEvent)
        self._watch.start(scene, events, self._refill)
        self._refill()

    def currentNode(self) -> Any:
        identifier = self._id()
        return self._scene.GetNodeByID(identifier) if identifier and self._scene else None

    def setCurrentNode(self, node: Any) -> None:
        self.setCurrentNodeID(node.GetID() if node else None)

    def setCurrentNodeID(self, identifier: str | None) -> None:
        self._box.setCurrentIndex(self._ids.index(identifier) if identifier in self._ids else -1)

    def nodeCount(self) -> int:
        return sum(identifier is not None for identifier in self._ids)

    def _id(self) -> str | None:
        index = self._box.currentIndex()
        return self._ids[index] if 0 <= index < len(self._ids) else None

    def _refill(self, *_: object) -> None:
        before = self._id()
        self._box.blockSignals(True)
        self._box.clear()
        nodes = self._nodes()
        none = [None] if self._options["noneEnabled"] else []
        self._ids = [*none, *(node.GetID() for node in nodes)]
        self._box.addItems([*("None" for _ in none), *(node.GetName() for node in nodes)])
        # As in Slicer, another node is chosen when the current one is removed, although None could be.
        other = len(none) if before is not None and nodes else 0 if self._ids else -1
        place = self._ids.index(before) if before in self._ids else other
        self._box.setCurrentIndex(place)
        self._box.blockSignals(False)
        if self._id() != before:
            self._announce()

    def _nodes(self) -> list[Any]:
        if self._scene is None:
            return []
        found = [self._scene.GetNthNode(index) for index in range(self._scene.GetNumberOfNodes())]
        return [node for node in found if self._fits(node)]

    def _fits(self, node: Any) -> bool:
        if node.GetHideFromEditors() and not self._options["showHidden"]:
            return False
        if self._options["showChildNodeTypes"]:
            return any(node.IsA(name) for name in self._types)
        return node.GetClassName() in self._types

    def _announce(self, *_: object) -> None:
        self.currentNodeChanged.emit(self.currentNode())

    def _set_types(self, types: Any) -> None:
        self._types = tuple(types)
        self._refill()

    def _option(name: str) -> Any:
        def write(self: qMRMLNodeComboBox, value: bool) -> None:
            self._options[name] = value
            self._refill()

        return Property(bool, lambda self: self._options[name], write)

    nodeTypes = Property("QStringList", lambda self: list(self._types), _set_types)
    showChildNodeTypes, noneEnabled, showHidden = map(_option, ("showChildNodeTypes", "noneEnabled", "showHidden"))
    currentNodeID = Property(str, lambda self: self._id() or "", setCurrentNodeID)
    addEnabled = Property(bool, lambda _self: False, lambda _self, _value: None)
    removeEnabled = Property(bool, lambda _self: False, lambda _self, _value: None)
    renameEnabled = Property(bool, lambda _self: False, lambda _self, _value: None)


class _Watch:
    """Observes a scene until it is stopped; outlives the widget it works for."""

    def __init__(self) -> None:
        self._scene: Any = None
        self._tags: list[int] = []

    def start(self, scene: Any, events: Iterable[int], callback: Any) -> None:
        self._scene, self._tags = scene, [scene.AddObserver(event, callback) for event in events]

    def stop(self) -> None:
        for tag in self._tags:
            self._scene.RemoveObserver(tag)
        self._tags = []
