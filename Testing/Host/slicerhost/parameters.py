"""Stand-in for slicer.parameterNodeWrapper: typed parameters in a real vtkMRMLScriptedModuleNode, bound to widgets.

It knows the types and pairings that the panel uses and refuses all others, as Slicer does: one wrong pairing or name
raises and nothing is bound.
"""

from __future__ import annotations

import enum
import pathlib
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import slicer
from PySide6 import QtWidgets

from slicerhost import ctk_widgets, mrml_widgets

PROPERTY = "SlicerParameterName"
RESERVED = {"parameterNode", "connectGui", "disconnectGui", "getValue", "setValue", "default", "dataType", "Modified"}


@dataclass
class WithinRange:
    minimum: float
    maximum: float

    def validate(self, value: Any) -> None:
        if not self.minimum <= value <= self.maximum:
            raise ValueError(f"{value} is not within {self.minimum} and {self.maximum}")


@dataclass
class Choice:
    choices: list[Any]

    def validate(self, value: Any) -> None:
        if value not in self.choices:
            raise ValueError(f"{value!r} is not one of {self.choices}")


@dataclass
class Decimals:
    value: int


@dataclass
class SingleStep:
    value: float


@dataclass
class _Parameter:
    """One annotated member of a wrapped class."""

    name: str
    kind: Any
    extras: tuple[Any, ...]
    default: Any

    def find(self, kind: type) -> Any:
        return next((extra for extra in self.extras if isinstance(extra, kind)), None)

    def validate(self, value: Any) -> None:
        expected = (int, float) if self.kind is float else self.kind
        is_list = typing.get_origin(self.kind) is list
        if is_list and not isinstance(value, (list, tuple)):
            raise TypeError(f"Value of {self.name} must be of type list, is {value!r}")
        if not is_list and not isinstance(value, expected) and not (value is None and _is_node(self.kind)):
            raise TypeError(f"Value of {self.name} must be of type {self.kind.__name__}, is {value!r}")
        for extra in self.extras:
            if hasattr(extra, "validate"):
                extra.validate(value)

    def write(self, node: Any, value: Any) -> None:
        self.validate(value)
        before = node.StartModify()
        if typing.get_origin(self.kind) is list:
            self._write_list(node, list(value))
        else:
            _write(node, self.name, self.kind, value)
        node.EndModify(before)

    def read(self, node: Any) -> Any:
        if typing.get_origin(self.kind) is not list:
            return _read(node, self.name, self.kind)
        item = typing.get_args(self.kind)[0]
        return [_read(node, f"{self.name}_{index}", item) for index in range(int(node.GetParameter(self.name) or 0))]

    def _write_list(self, node: Any, values: list[Any]) -> None:
        item = typing.get_args(self.kind)[0]
        for index, value in enumerate(values):
            _write(node, f"{self.name}_{index}", item, value)
        for index in range(len(values), int(node.GetParameter(self.name) or 0)):
            node.UnsetParameter(f"{self.name}_{index}")
            node.RemoveNodeReferenceIDs(f"{self.name}_{index}")
        node.SetParameter(self.name, str(len(values)))


def parameterNodeWrapper(cls: Any) -> Any:
    """Gives the class a property per annotated member, kept in the parameter node it is made with."""
    parameters = {}
    for name, annotation in typing.get_type_hints(cls, include_extras=True).items():
        if name in RESERVED:
            raise ValueError(f"Cannot use reserved name '{name}' in a parameterNodeWrapper")
        kind, *extras = typing.get_args(annotation) if hasattr(annotation, "__metadata__") else (annotation,)
        default = getattr(cls, name, _implicit_default(kind))
        parameters[name] = _Parameter(name, kind, tuple(extras), default)
    members = {name: _property(parameter) for name, parameter in parameters.items()}
    return type(cls.__name__, (_Wrapper,), {"allParameters": parameters, "__doc__": cls.__doc__, **members})


class _Wrapper:
    """What every wrapped class can do."""

    allParameters: dict[str, _Parameter]

    def __init__(self, parameterNode: Any) -> None:
        self.parameterNode = parameterNode
        self._connections: dict[int, tuple[list[Callable[[], None]], int]] = {}
        for name, parameter in self.allParameters.items():
            if not parameterNode.HasParameter(name):
                parameter.write(parameterNode, parameter.default)

    def getValue(self, name: str) -> Any:
        return self._known(name).read(self.parameterNode)

    def setValue(self, name: str, value: Any) -> None:
        self._known(name).write(self.parameterNode, value)

    def default(self, name: str) -> Any:
        return self._known(name).default

    def StartModify(self) -> Any:
        return self.parameterNode.StartModify()

    def EndModify(self, before: Any) -> None:
        self.parameterNode.EndModify(before)

    def AddObserver(self, event: Any, callback: Any, priority: float = 0.0) -> Any:
        return self.parameterNode.AddObserver(event, callback, priority)

    def RemoveObserver(self, tag: Any) -> None:
        self.parameterNode.RemoveObserver(tag)

    def connectGui(self, gui: Any) -> int:
        """Binds every child that has the dynamic property SlicerParameterName."""
        widgets = gui.findChildren(QtWidgets.QWidget) if hasattr(gui, "findChildren") else list(vars(gui).values())
        named = {widget.property(PROPERTY): widget for widget in widgets if widget.property(PROPERTY)}
        connectors = [_Connector(self, self._known(name), widget) for name, widget in named.items()]
        for connector in connectors:
            connector.show()
            connector.signal.connect(connector.changed)
        tag = len(self._connections)
        observer = self.parameterNode.AddObserver("ModifiedEvent", lambda *_: [each.show() for each in connectors])
        self._connections[tag] = ([connector.release for connector in connectors], observer)
        return tag

    def disconnectGui(self, tag: int) -> None:
        releases, observer = self._connections.pop(tag, ([], None))
        for release in releases:
            release()
        if observer is not None:
            self.parameterNode.RemoveObserver(observer)

    def _known(self, name: str) -> _Parameter:
        if name not in self.allParameters:
            raise ValueError(f"Cannot find a param with the given name: {name}")
        return self.allParameters[name]


class _Connector:
    """Keeps one widget and one parameter the same."""

    def __init__(self, wrapper: _Wrapper, parameter: _Parameter, widget: Any) -> None:
        self._wrapper, self._parameter, self._widget = wrapper, parameter, widget
        pairing = _PAIRINGS.get((type(widget), _plain_kind(parameter.kind)))
        if pairing is None:
            raise RuntimeError(
                f"Unable to create GUI connector from datatype '{parameter.kind}' to widget type '{type(widget)}'"
            )
        signal, self._read, self._show = pairing
        self.signal = getattr(widget, signal)
        _prepare(widget, parameter)

    def changed(self) -> None:
        self._wrapper.setValue(self._parameter.name, self._read(self._widget))

    def show(self) -> None:
        value = self._parameter.read(self._wrapper.parameterNode)
        if self._read(self._widget) != value:
            self._show(self._widget, value)

    def release(self) -> None:
        self.signal.disconnect(self.changed)


_PAIRINGS: dict[tuple[type, Any], tuple[str, Callable[[Any], Any], Callable[[Any, Any], None]]] = {
    (QtWidgets.QCheckBox, bool): ("toggled", lambda w: w.isChecked(), lambda w, v: w.setChecked(v)),
    (QtWidgets.QPushButton, bool): ("toggled", lambda w: w.isChecked(), lambda w, v: w.setChecked(v)),
    (QtWidgets.QSpinBox, int): ("valueChanged", lambda w: w.value(), lambda w, v: w.setValue(v)),
    (QtWidgets.QDoubleSpinBox, float): ("valueChanged", lambda w: w.value(), lambda w, v: w.setValue(v)),
    (ctk_widgets.ctkSliderWidget, float): ("valueChanged", lambda w: w.value, lambda w, v: setattr(w, "value", v)),
    (QtWidgets.QComboBox, str): ("currentTextChanged", lambda w: w.currentText(), lambda w, v: w.setCurrentText(v)),
    (QtWidgets.QLineEdit, str): ("textChanged", lambda w: w.text(), lambda w, v: w.setText(v)),
    (ctk_widgets.ctkPathLineEdit, pathlib.Path): (
        "currentPathChanged",
        lambda w: pathlib.Path(w.currentPath),
        lambda w, v: setattr(w, "currentPath", str(v)),
    ),
    (mrml_widgets.qMRMLNodeComboBox, "node"): (
        "currentNodeChanged",
        lambda w: w.currentNode(),
        lambda w, v: w.setCurrentNode(v),
    ),
}


def _prepare(widget: Any, parameter: _Parameter) -> None:
    """Limits and choices of the parameter become those of the widget."""
    limits, choice = parameter.find(WithinRange), parameter.find(Choice)
    if isinstance(widget, ctk_widgets.ctkSliderWidget):
        if limits is None:
            raise RuntimeError("Cannot have a connection to ctkSliderWidget where the float types is unbounded.")
        widget.minimum, widget.maximum = limits.minimum, limits.maximum
    elif isinstance(widget, (QtWidgets.QSpinBox, QtWidgets.QDoubleSpinBox)):
        decimals = parameter.find(Decimals)
        if decimals is not None:
            widget.setDecimals(decimals.value)
        if limits is not None:
            widget.setRange(limits.minimum, limits.maximum)
    elif isinstance(widget, QtWidgets.QComboBox):
        if choice is None:
            raise RuntimeError("ComboBoxToStringableConnector requires the Choice annotation to be used.")
        widget.clear()
        widget.addItems(choice.choices)
    elif isinstance(widget, mrml_widgets.qMRMLNodeComboBox):
        widget.nodeTypes = [parameter.kind().GetClassName()]


def _property(parameter: _Parameter) -> property:
    return property(
        lambda self: parameter.read(self.parameterNode), lambda self, value: parameter.write(self.parameterNode, value)
    )


def _write(node: Any, name: str, kind: Any, value: Any) -> None:
    if _is_node(kind):
        node.SetParameter(name, "")
        node.SetNodeReferenceID(name, None if value is None else value.GetID())
    else:
        node.SetParameter(name, value.name if isinstance(value, enum.Enum) else str(value))


def _read(node: Any, name: str, kind: Any) -> Any:
    if _is_node(kind):
        return node.GetNodeReference(name)
    text = node.GetParameter(name)
    if kind is bool:
        return text == "True"
    return kind[text] if isinstance(kind, enum.EnumMeta) else kind(text)


def _implicit_default(kind: Any) -> Any:
    if _is_node(kind):
        return None
    if typing.get_origin(kind) is list:
        return []
    return next(iter(kind)) if isinstance(kind, enum.EnumMeta) else kind()


def _is_node(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, slicer.vtkMRMLNode)


def _plain_kind(kind: Any) -> Any:
    return "node" if _is_node(kind) else kind
