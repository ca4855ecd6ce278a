"""The project's color tables as color nodes, each once per scene, and saved with it."""

from __future__ import annotations

import json

import numpy as np
import slicer

from NoisyLabelSegLib.resources import resource_path
from NoisyLabelSegLib.review import ANNOTATORS, PAPER, ErrorCode, color_table
from NoisyLabelSegLib.scene.arrays import Node
from NoisyLabelSegLib.scene.roles import PREFIX

RAMP_STEPS = 256
CLASSES = "classes"
HEAT, VEIL = "heat", "veil"
_BINARY = "/binary"

RGB = tuple[float, float, float]


def errorColors(scene: Node, name: str = PAPER, *, wrongClass: bool = True) -> Node:
    """The color node of the error codes 0 to 4; without `wrongClass` the legend has no line for code 4."""
    key = name if wrongClass else name + _BINARY
    found = _known(scene, key)
    if found is not None:
        return found
    entries = color_table(name)
    node = _newTable(scene, key, _title(name), len(entries))
    for entry in entries:
        node.SetColor(entry.code, entry.name, *entry.rgba)
    node.SetColorDefined(ErrorCode.TRUE_NEGATIVE, False)  # what is never drawn needs no line in the legend
    node.SetColorDefined(ErrorCode.WRONG_CLASS, wrongClass)
    return node


def hasWrongClass(colors: Node | None) -> bool:
    """Whether a color node of errorColors() has a line for the wrong class."""
    return colors is None or not (colors.GetAttribute(PREFIX + "colors") or "").endswith(_BINARY)


def rampColors(scene: Node, name: str) -> Node:
    """A color node from 0 to 1 in 256 steps, whose opacity changes too."""
    found = _known(scene, name)
    if found is not None:
        return found
    content = json.loads(resource_path(f"colors/ramps/{name}.json").read_text(encoding="utf-8"))
    at = [point["at"] for point in content["points"]]
    steps = np.linspace(0, 1, RAMP_STEPS)
    rgba = np.stack([np.interp(steps, at, [point["rgba"][i] for point in content["points"]]) for i in range(4)], axis=1)
    node = _newTable(scene, name, content["name"], RAMP_STEPS)
    for step, color in enumerate(rgba.tolist()):
        node.SetColor(step, f"{steps[step]:.2f}", *color)
    return node


def annotatorColor(index: int) -> RGB:
    """The color of the annotator at this place; they repeat after the last one."""
    return _cyclic(ANNOTATORS, index)


def classColor(label: int) -> RGB:
    """The color of class `label` (1 and up) of the truth; they repeat after the last one."""
    return _cyclic(CLASSES, label - 1)


def _cyclic(table: str, index: int) -> RGB:
    entries = color_table(table)
    red, green, blue, _ = entries[index % len(entries)].rgba
    return red, green, blue


def _known(scene: Node, name: str) -> Node | None:
    nodes = scene.GetNodesByClass("vtkMRMLColorTableNode")
    nodes.UnRegister(None)
    return next((node for node in nodes if node.GetAttribute(PREFIX + "colors") == name), None)


def _title(name: str) -> str:
    title: str = json.loads(resource_path(f"colors/{name}.json").read_text(encoding="utf-8"))["name"]
    return title


def _newTable(scene: Node, name: str, title: str, size: int) -> Node:
    node = slicer.vtkMRMLColorTableNode()
    node.SetTypeToUser()
    node.SetName(title)
    node.HideFromEditorsOff()  # hidden color nodes are not saved with the scene
    node.SetNumberOfColors(size)
    node.SetAttribute(PREFIX + "colors", name)
    scene.AddNode(node)
    return node
