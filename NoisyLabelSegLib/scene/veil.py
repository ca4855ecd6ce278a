"""The confidence veil: the estimated truth as a layer whose opacity follows the probability."""

from __future__ import annotations

import numpy as np

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.scene.arrays import Node, arrayOf
from NoisyLabelSegLib.scene.colors import RAMP_STEPS, VEIL, rampColors
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.placing import geometryOf
from NoisyLabelSegLib.scene.roles import Role
from NoisyLabelSegLib.scene.volumes import LABELMAP, fillVolume, showAsCodes


def makeVeil(folder: CaseFolder) -> Node:
    """A labelmap of the probability in 256 steps: of all volumes only labelmaps are drawn with graded opacity."""
    probability = folder.find(Role.PROBABILITY)
    if probability is None:
        raise UserError(f"Case {folder.case} has no probabilities", remedy="estimate the truth first")
    steps = np.rint(arrayOf(probability) * (RAMP_STEPS - 1)).astype(np.uint8)
    node = folder.put(LABELMAP, Role.VEIL, f"{folder.case} veil")
    fillVolume(node, steps, geometryOf(probability))
    showAsCodes(node, rampColors(folder.scene, VEIL))
    return node
