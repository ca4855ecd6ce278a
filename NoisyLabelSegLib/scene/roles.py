"""What is written on a node so that it is found again: in this scene, and in a scene saved and reopened."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from NoisyLabelSegLib.scene.arrays import Node

PREFIX = "NoisyLabelSeg."
IMAGE_REFERENCE = PREFIX + "image"
"""The node reference from every result to the image it belongs to."""
TRUTH_REFERENCE = PREFIX + "truth"
ANNOTATOR_REFERENCE = PREFIX + "annotator"
CORNER_TEXT = PREFIX + "corner"
"""The attribute of a slice node that holds the text for the corner of its view."""


class Role(Enum):
    """What a node is in a review; the value is the node's attribute."""

    IMAGE = "image"
    ANNOTATOR = "annotator"
    ANNOTATORS = "annotators"
    """A segmentation node with one annotator per segment."""
    TRUTH = "truth"
    KNOWN_TRUTH = "knownTruth"
    PROBABILITY = "probability"
    VEIL = "veil"
    ERRORS = "errors"
    EXPECTED_ERRORS = "expectedErrors"
    STATISTICS = "statistics"
    MISTAKES = "mistakes"
    CURVES = "curves"
    CURVE = "curve"
    CHART = "chart"


_ROLES = {role.value: role for role in Role}


@dataclass(frozen=True)
class Tag:
    """The attributes of a node. `label` tells nodes of the same role apart: a class, a channel, a kind of error."""

    role: Role
    case: str
    study: str = ""
    annotator: str = ""
    label: str = ""

    def write(self, node: Node) -> None:
        node.SetAttribute(PREFIX + "role", self.role.value)
        for name in ("case", "study", "annotator", "label"):
            node.SetAttribute(PREFIX + name, getattr(self, name) or None)

    @classmethod
    def read(cls, node: Node) -> Tag | None:
        """The node's tag, or None for a node that is not ours."""
        role = node.GetAttribute(PREFIX + "role")
        if role not in _ROLES:
            return None
        case, study, annotator, label = (
            node.GetAttribute(PREFIX + name) or "" for name in ("case", "study", "annotator", "label")
        )
        return cls(_ROLES[role], case, study, annotator, label)
