"""The confidence veil: the estimated truth as a layer whose opacity follows the probability."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.scene.arrays import Node, arrayOf, imageInSteps
from NoisyLabelSegLib.scene.colors import RAMP_STEPS, VEIL, rampColors
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.placing import geometryOf
from NoisyLabelSegLib.scene.roles import Role
from NoisyLabelSegLib.scene.volumes import LABELMAP, attachImage, showAsCodes


def makingVeil(folder: CaseFolder) -> Generator[str, None, Node]:
    """A labelmap of the probability in 256 grades: of all volumes only labelmaps are drawn with graded opacity."""
    probability = folder.find(Role.PROBABILITY)
    if probability is None:
        raise UserError(f"Case {folder.case} has no probabilities", remedy="estimate the truth first")
    values = arrayOf(probability)
    image = yield from imageInSteps(values.shape, np.uint8, lambda few: np.rint(values[few] * (RAMP_STEPS - 1)))
    node = folder.put(LABELMAP, Role.VEIL, f"{folder.case} veil")
    showAsCodes(node, rampColors(folder.scene, VEIL))
    attachImage(node, image, geometryOf(probability))
    return node
