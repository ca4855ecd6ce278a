"""One case at a time: the outlines of the others are hidden, and come back with their case."""

from __future__ import annotations

from NoisyLabelSegLib.scene.arrays import Node
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.roles import PREFIX, Role

_OUTLINES = (Role.ANNOTATOR, Role.ANNOTATORS, Role.TRUTH, Role.KNOWN_TRUTH)
_HIDDEN = PREFIX + "hiddenWithCase"
"""The attribute of a node that people would see if its case were open."""


def showOutlinesOf(opened: CaseFolder) -> None:
    """Hides the outlines of all cases but this one; shows those of it that were hidden with their case."""
    for folder in CaseFolder.all(opened.scene):
        isOpen = (folder.case, folder.study) == (opened.case, opened.study)
        for node in folder.nodes(*_OUTLINES):
            if node.GetDisplayNode() is not None:
                _show(node) if isOpen else _hide(node)


def _show(node: Node) -> None:
    if node.GetAttribute(_HIDDEN):
        node.GetDisplayNode().SetVisibility(True)
        node.RemoveAttribute(_HIDDEN)


def _hide(node: Node) -> None:
    if node.GetDisplayNode().GetVisibility():
        node.GetDisplayNode().SetVisibility(False)
        node.SetAttribute(_HIDDEN, "yes")
