"""What the truth's node remembers about itself, in attributes that are saved with the scene."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.scene.arrays import Node
from NoisyLabelSegLib.scene.nodes import PREFIX
from NoisyLabelSegLib.scene.segments import BINARY_LABELMAP

RECORD = PREFIX + "record"
METHOD, ESTIMATE = PREFIX + "method", PREFIX + "estimate"
"""Attributes of their own, by the names that saved scenes have."""


@dataclass(frozen=True)
class TruthRecord:
    """How the truth in a node came about. `estimate`, `adjudicated` and `signed` are digests of its labels then.

    method: the fusion method, or what else the estimate was made by. annotators: whose labels were used.
    edited_by, edited_on: the last edit that no decision records. reference_edited_by, reference_edited_on: the last
    edit of an estimate before the first decision about it.
    """

    method: str = ""
    estimate: str = ""
    annotators: tuple[str, ...] = ()
    adjudicated: str = ""
    edited_by: str = ""
    edited_on: str = ""
    reference_edited_by: str = ""
    reference_edited_on: str = ""
    signed: str = ""
    signed_by: str = ""
    signed_on: str = ""

    @classmethod
    def read(cls, node: Node | None) -> TruthRecord:
        """The record of a node; empty for none, and for a truth that nothing is known about."""
        if node is None:
            return cls()
        try:
            content = dict(json.loads(node.GetAttribute(RECORD) or "{}"))
        except ValueError:
            content = {}
        known = {field.name for field in dataclasses.fields(cls)}
        texts = {key: str(value) for key, value in content.items() if key in known and key != "annotators"}
        texts |= {"method": node.GetAttribute(METHOD) or "", "estimate": node.GetAttribute(ESTIMATE) or ""}
        return cls(annotators=tuple(map(str, content.get("annotators") or ())), **texts)

    def write(self, node: Node) -> None:
        content = dataclasses.asdict(self)
        node.SetAttribute(METHOD, content.pop("method") or None)
        node.SetAttribute(ESTIMATE, content.pop("estimate") or None)
        node.SetAttribute(RECORD, json.dumps(content, ensure_ascii=False))

    def is_edited(self, labels: NDArray[np.uint8]) -> bool:
        """Whether somebody has changed the labels since they were estimated or adjudicated."""
        return bool(self.estimate) and digest_of(labels) not in (self.estimate, self.adjudicated, self.signed)


def digest_of(labels: NDArray[np.uint8]) -> str:
    return hashlib.blake2b(labels.tobytes(), digest_size=16).hexdigest()


def modified_time(node: Node) -> int:
    """Grows with every change of the voxels of a segmentation or a labelmap node; 0 where there are none."""
    if not node.IsA("vtkMRMLSegmentationNode"):
        image = node.GetImageData()
        return 0 if image is None else int(image.GetMTime())
    segmentation = node.GetSegmentation()
    images = [segmentation.GetSegment(id).GetRepresentation(BINARY_LABELMAP) for id in segmentation.GetSegmentIDs()]
    return max((int(image.GetMTime()) for image in images if image is not None), default=0)
