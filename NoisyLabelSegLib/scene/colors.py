"""The color tables as color nodes, each once per scene, and color legends in the views."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import slicer
from numpy.typing import NDArray

from NoisyLabelSegLib.resources import resource_path
from NoisyLabelSegLib.review import ANNOTATORS, DEFAULT_COLORS, ErrorCode, color_table
from NoisyLabelSegLib.scene.arrays import Node
from NoisyLabelSegLib.scene.nodes import PREFIX

RAMP_STEPS = 256
CLASSES = "classes"
HEAT, CONFIDENCE, COUNTS, DISTANCE = "heat", "veil", "counts", "distance"
"""Names of files in Resources/colors/ramps, and part of saved scenes."""
_BINARY, _WITHOUT_CORRECT = "/binary", "/errors only"
_FONT_SIZE = 15
_LEGEND_SIZE = (0.15, 0.25)
"""Shares of a view, readable in Slicer's four views as well as in a grid of many; letters grow with them off-screen."""
_SIZE = PREFIX + "size"
_FOUR_VIEWS, _LARGEST_LEGEND = (490, 383), (0.4, 0.75)
"""Pixels of one of four views in a window of 1280 x 800, and shares of a view that a legend has at most."""
_LEGEND_TITLE = 20
"""The letters that a legend's title may have, beyond which it would cover the image."""
_LAST_LATIN_LETTER, _DOTS = 0x24F, "…"
"""VTK's own font, which views and plots use, draws nothing for the letters of most other scripts."""
RGB = tuple[float, float, float]


def errorColors(scene: Node, name: str = DEFAULT_COLORS, *, wrongClass: bool = True, correct: bool = True) -> Node:
    """The color node of the error codes 0 to 4; without `wrongClass` the legend has no line for code 4.

    Without `correct` what is correct is not drawn, so that the anatomy below it stays visible.
    """
    key = name + ("" if wrongClass else _BINARY) + ("" if correct else _WITHOUT_CORRECT)
    found = _known(scene, key)
    if found is not None:
        return found
    entries = color_table(name)
    node = _newTable(scene, key, _title(name), len(entries))
    for entry in entries:
        node.SetColor(entry.code, entry.name, *entry.rgba)
    node.SetColorDefined(ErrorCode.TRUE_NEGATIVE, False)  # what is never drawn needs no line in the legend
    node.SetColorDefined(ErrorCode.WRONG_CLASS, wrongClass)
    if not correct:
        node.SetColor(ErrorCode.TRUE_POSITIVE, entries[ErrorCode.TRUE_POSITIVE].name, 0.0, 0.0, 0.0, 0.0)
        node.SetColorDefined(ErrorCode.TRUE_POSITIVE, False)
    return node


def hasWrongClass(colors: Node | None) -> bool:
    """Whether a color node of errorColors() has a line for the wrong class."""
    return colors is None or _BINARY not in (colors.GetAttribute(PREFIX + "colors") or "")


def rampColors(scene: Node, name: str) -> Node:
    """A color node from 0 to 1 in 256 steps, whose opacity changes too."""
    found = _known(scene, name)
    if found is not None:
        return found
    steps = np.linspace(0, 1, RAMP_STEPS)
    node = _newTable(scene, name, _rampFile(name)["name"], RAMP_STEPS)
    for step, color in enumerate(_ramp(name, steps).tolist()):
        node.SetColor(step, f"{steps[step]:.2f}", *color)
    return node


def countColors(scene: Node, readers: int) -> Node:
    """The color node of an agreement map: 0 is clear, `1 of n` dark violet to `n of n` light yellow."""
    key = f"{COUNTS}/{readers}"
    found = _known(scene, key)
    if found is not None:
        return found
    node = _newTable(scene, key, f"Agreement of {readers}", readers + 1)
    node.SetColor(0, "Nobody", 0.0, 0.0, 0.0, 0.0)
    node.SetColorDefined(0, False)
    for count, color in enumerate(_ramp(COUNTS, np.linspace(0, 1, readers)).tolist(), start=1):
        node.SetColor(count, f"{count} of {readers}", *color)
    return node


def annotatorColor(index: int) -> RGB:
    """The color of the annotator at this place; they repeat after the last one."""
    return _cyclic(ANNOTATORS, index)


def classColor(label: int) -> RGB:
    """The color of class `label` (1 and up) of the truth; they repeat after the last one."""
    return _cyclic(CLASSES, label - 1)


def addLegend(volume: Node, title: str, *, numbers: str = "") -> Node:
    """The legend of a volume node, made once and hidden at first; `numbers` is how to write those of a ramp.

    The letters are as large as the widest line allows, so short numbers are to be written with spaces in front.

    Names of colors stand at the lower right of a view, ramps at the upper right, since a view may have both.
    """
    known = legendOf(volume)
    legend = known or slicer.vtkSlicerColorLogic.AddDefaultColorLegendDisplayNode(volume)
    legend.SetTitleText(drawable(title, _LEGEND_TITLE))
    if known is None:
        legend.SetUseColorNamesForLabels(not numbers)
        legend.SetLabelFormat(numbers or "%s")
        legend.SetNumberOfLabels(3 if numbers else 5)
        sizeLegend(legend, *_LEGEND_SIZE)
        legend.SetPosition(0.94, 0.8 if numbers else 0.03)  # clear of the edge, where the swatches would be cut
        for text in (legend.GetTitleTextProperty(), legend.GetLabelTextProperty()):
            text.SetFontSize(_FONT_SIZE)
            text.SetFontFamilyToArial()
            text.SetShadow(True)
        legend.SetVisibility(False)
    return legend


def sizeLegend(legend: Node, width: float, height: float) -> None:
    """Says how large a legend is, in shares of one of Slicer's four views."""
    legend.SetAttribute(_SIZE, f"{width} {height}")
    legend.SetSize(width, height)


def fitLegend(legend: Node, columns: int, rows: int) -> tuple[float, float]:
    """Makes a legend as large as it is in one of four views, in a view of any number of pixels; returns the shares."""
    width, height = map(float, (legend.GetAttribute(_SIZE) or "{} {}".format(*_LEGEND_SIZE)).split())
    scale = max(1.0, min(columns / _FOUR_VIEWS[0], rows / _FOUR_VIEWS[1]))
    wide, high = width * _FOUR_VIEWS[0] * scale / columns, height * _FOUR_VIEWS[1] * scale / rows
    shrink = min(1.0, _LARGEST_LEGEND[0] / wide, _LARGEST_LEGEND[1] / high)
    if legend.GetSize() != (wide * shrink, high * shrink):
        legend.SetSize(wide * shrink, high * shrink)
    return wide * shrink, high * shrink


def drawable(name: str, letters: int, *, otherwise: str = "") -> str:
    """A name as the views can draw it: cut to so many letters, `otherwise` where their font lacks its letters.

    Long names are cut in the middle, because they often differ at the end only.
    """
    if otherwise and any(ord(letter) > _LAST_LATIN_LETTER and letter != _DOTS for letter in name):
        return otherwise
    if len(name) <= letters:
        return name
    end = (letters - 1) // 3
    return f"{name[: letters - 1 - end].rstrip()}{_DOTS}{name[-end:].lstrip() if end else ''}"


def legendOf(volume: Node) -> Node | None:
    """The legend of a volume node, if it has one."""
    return slicer.vtkSlicerColorLogic.GetColorLegendDisplayNode(volume)


def showLegend(volume: Node, *, visible: bool, viewIds: Sequence[str] = ()) -> None:
    """Shows or hides the legend of a volume node, in these views only or (if none is named) in all that show it."""
    legend = legendOf(volume)
    if legend is not None:
        legend.SetViewNodeIDs(list(viewIds))
        legend.SetVisibility(visible)


def announceLegends(compositeNode: Node) -> None:
    """Lets a view notice legends that are older than itself, which Slicer's views do only when a layer changes."""
    flags = compositeNode.GetInteractionFlags()
    compositeNode.SetInteractionFlags(slicer.vtkMRMLSliceCompositeNode.LabelVolumeFlag)
    compositeNode.Modified()
    compositeNode.SetInteractionFlags(flags)


def _ramp(name: str, steps: NDArray[np.float64]) -> NDArray[np.float64]:
    """The colors (N, 4) of a ramp at steps (N,) from 0 to 1."""
    points = _rampFile(name)["points"]
    at = [point["at"] for point in points]
    return np.stack([np.interp(steps, at, [point["rgba"][i] for point in points]) for i in range(4)], axis=1)


def _rampFile(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(resource_path(f"colors/ramps/{name}.json").read_text(encoding="utf-8"))
    return content


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
