"""Color legends, which say in words what the colors of a map mean."""

from __future__ import annotations

from collections.abc import Sequence

import slicer

from NoisyLabelSegLib.scene.arrays import Node

_FONT_SIZE = 15
_SIZE_OF_NAMES, _SIZE_OF_NUMBERS = (0.25, 0.22), (0.2, 0.18)
"""Shares of the view; drawn off-screen, the letters, too, grow with them."""


def addLegend(volume: Node, title: str) -> Node:
    """The legend of a volume node, made once and hidden at first."""
    known = legendOf(volume)
    legend = known or slicer.vtkSlicerColorLogic.AddDefaultColorLegendDisplayNode(volume)
    legend.SetTitleText(title)
    if known is None:
        hasNames = bool(volume.IsA("vtkMRMLLabelMapVolumeNode"))
        legend.SetUseColorNamesForLabels(hasNames)
        legend.SetLabelFormat("%s" if hasNames else "%.1f")
        legend.SetNumberOfLabels(5 if hasNames else 3)
        legend.SetSize(*(_SIZE_OF_NAMES if hasNames else _SIZE_OF_NUMBERS))
        legend.SetPosition(0.94, 0.03)  # clear of the edge, where the swatches would be cut
        for text in (legend.GetTitleTextProperty(), legend.GetLabelTextProperty()):
            text.SetFontSize(_FONT_SIZE)
            text.SetFontFamilyToArial()
            text.SetShadow(True)
        legend.SetVisibility(False)
    return legend


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
