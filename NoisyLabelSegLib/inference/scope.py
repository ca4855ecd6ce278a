"""Whether a case is of the kind that a model is for, as the model's card says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from NoisyLabelSegLib.cases import Case
from NoisyLabelSegLib.cases.model_card import ModelCard, may_be_crop
from NoisyLabelSegLib.errors import UserError

AIR_HU = (-1100.0, -800.0)
LARGEST_SCALED = 255
"""The largest intensity of a crop that was scaled by itself."""

LEAST_AIR = 0.01
"""CT without a modality tag is recognized by air, inside or around the body: at least this share of the voxels."""


def require_scope(card: ModelCard, case: Case, *, at_object: bool) -> None:
    """Refuses a case that the model is not for; `at_object` says that a point or a box was given.

    A card without a scope, as every training writes it, accepts everything.
    """
    if problem := scope_problem(card.scope, case, at_object=at_object):
        raise UserError(f"Case {case.id} {problem.what}", remedy=problem.remedy)


class ScopeProblem(NamedTuple):
    """What does not fit, as the rest of a sentence, and what to do about it."""

    what: str
    remedy: str = "choose another model, or run it anyway (--anyway on the command line, Run anyway in the panel)"


def scope_problem(scope: Mapping[str, Any], case: Case, *, at_object: bool) -> ScopeProblem | None:
    """What does not fit, or None."""
    geometry = case.geometry
    crop = not at_object and may_be_crop(geometry.shape)
    if not scope or (crop and _is_scaled(case)):
        return None
    if scope.get("modality") == "CT" and not _is_ct(case):
        return ScopeProblem(
            f"does not look like CT, which the model is for: fewer than {LEAST_AIR:.0%} of its voxels have the "
            f"intensity of air ({AIR_HU[0]:g} to {AIR_HU[1]:g} HU)"
        )
    low, high = scope.get("spacing", (0.0, np.inf))
    if not all(low <= edge <= high for edge in geometry.spacing_zyx[-2:]):
        edges = " x ".join(f"{edge:g}" for edge in geometry.spacing_zyx[-2:])
        return ScopeProblem(f"has pixels of {edges} mm, but the model is for {low:g} to {high:g} mm")
    if scope.get("object") and not at_object and not crop:
        return ScopeProblem(
            f"is a whole scan, but the model outlines one {scope['object']} at a time",
            "give a point in it or a box around it: --at x,y,z or --roi on the command line, Object at in the panel",
        )
    return None


def _is_scaled(case: Case) -> bool:
    """Whether the intensities are those of a picture, 0 to 255, as crops that were scaled one by one have them."""
    image = case.first_channel()
    return bool(image.min() >= 0 and image.max() <= LARGEST_SCALED)


def _is_ct(case: Case) -> bool:
    scan, (low, high) = case.first_channel(), AIR_HU
    air = sum(int(np.count_nonzero((part >= low) & (part <= high))) for part in scan)  # slice by slice: it may be large
    return air >= LEAST_AIR * scan.size
