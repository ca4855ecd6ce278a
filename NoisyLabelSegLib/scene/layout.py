"""Layouts made for a number of annotators: a grid with one slice view each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from xml.etree import ElementTree

LAYOUT_ID = 7430
"""The id of our layout; Slicer's own are below 100, and so are few of other extensions' in the thousands."""
VIEW_GROUP = 74
"""Views of one group are linked among themselves and apart from Slicer's standard views."""

ORIENTATIONS = ("Axial", "Coronal", "Sagittal")


def viewName(index: int) -> str:
    """The name of the view at this place of the grid, which is the singleton tag of its nodes."""
    return f"NoisyLabelSeg{index + 1}"


def columnsFor(count: int) -> int:
    """How many views stand beside each other, so that the grid is about square and rather wide than high."""
    return math.ceil(math.sqrt(count))


def layoutXml(names: Sequence[str], orientation: str = "Axial") -> str:
    """The description of a grid with one slice view per name, in Slicer's layout language."""
    if orientation not in ORIENTATIONS:
        raise ValueError(f"{orientation} is not one of {', '.join(ORIENTATIONS)}")
    columns = columnsFor(len(names))
    layout = ElementTree.Element("layout", type="grid")
    for index, name in enumerate(names):
        item = ElementTree.SubElement(
            layout, "item", row=str(index // columns), column=str(index % columns), multiple="false"
        )
        view = ElementTree.SubElement(item, "view", {"class": "vtkMRMLSliceNode", "singletontag": viewName(index)})
        properties = {"orientation": orientation, "viewlabel": name, "viewgroup": str(VIEW_GROUP)}
        for key, value in properties.items():
            ElementTree.SubElement(view, "property", name=key, action="default").text = value
    return ElementTree.tostring(layout, encoding="unicode")
