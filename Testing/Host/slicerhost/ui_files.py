"""Loads the extension's .ui files with the stand-ins in place of ctk and qMRML widgets."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

from PySide6 import QtWidgets
from PySide6.QtCore import QBuffer, QFile, QIODevice
from PySide6.QtUiTools import QUiLoader
from PySide6.QtWidgets import QWidget

from slicerhost import api, ctk_widgets, mrml_widgets
from slicerhost.tool_tips import enrich

CUSTOM = {
    name: value
    for source in (ctk_widgets, mrml_widgets)
    for name, value in vars(source).items()
    if name.startswith(("ctk", "qMRML"))
}
SCENE_CONNECTION = ("mrmlSceneChanged(vtkMRMLScene*)", "setMRMLScene(vtkMRMLScene*)")


class UiLoader(QUiLoader):
    """QUiLoader that knows the stand-ins and refuses a class that the file does not declare or nobody has."""

    def load(self, file: QFile, parent: QWidget | None = None) -> QWidget:
        root = ElementTree.fromstring(bytes(file.readAll().data()))
        _refuse_undeclared(root)
        for className, name in api.properties_of(root):
            api.refuse_unknown(CUSTOM.get(className) or getattr(QtWidgets, className), name)
        connections = list(_scene_connections(root))
        for element in root.findall("connections"):
            root.remove(element)
        _number_path_filters(root)
        buffer = QBuffer(self)
        buffer.setData(ElementTree.tostring(root))
        buffer.open(QIODevice.OpenModeFlag.ReadOnly)
        widget = super().load(buffer, parent)
        for sender, receiver in connections:
            source = widget if widget.objectName() == sender else widget.findChild(QWidget, sender)
            source.mrmlSceneChanged.connect(widget.findChild(QWidget, receiver).setMRMLScene)
        return widget

    def createWidget(self, className: str, parent: QWidget | None = None, name: str = "") -> QWidget:
        if className in CUSTOM:
            widget = CUSTOM[className](parent)
            widget.setObjectName(name)
        else:
            widget = super().createWidget(className, parent, name)
        enrich(widget)
        return widget


def _number_path_filters(root: ElementTree.Element) -> None:
    """ctk's flags are names in the file and a number in the stand-in."""
    for value in root.iterfind(".//property[@name='filters']/set"):
        flags = (value.text or "").split("|")
        value.tag = "number"
        value.text = str(sum(getattr(ctk_widgets.ctkPathLineEdit, flag.partition("::")[2]) for flag in flags))


def _refuse_undeclared(root: ElementTree.Element) -> None:
    declared = {element.text for element in root.iterfind("customwidgets/customwidget/class")}
    for element in root.iter("widget"):
        name = element.get("class", "")
        if name.startswith(("ctk", "qMRML")) and name not in declared:
            raise RuntimeError(f"the .ui file uses {name} without declaring it under <customwidgets>")
    for name in declared - CUSTOM.keys():
        raise RuntimeError(f"the .ui file declares {name}, which this host does not have")


def _scene_connections(root: ElementTree.Element) -> Iterator[tuple[str, str]]:
    """Sender and receiver of every connection; only the one that hands the scene on is known."""
    for element in root.iterfind("connections/connection"):
        values = {child.tag: child.text or "" for child in element}
        if (values["signal"], values["slot"]) != SCENE_CONNECTION:
            raise RuntimeError(f"the .ui file connects {values['signal']} to {values['slot']}; connect it in Python")
        yield values["sender"], values["receiver"]
