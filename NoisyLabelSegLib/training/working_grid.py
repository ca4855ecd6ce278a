"""How coarse a grid the networks must work on for what people outline to fit into a crop."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from NoisyLabelSegLib.cases import Case
from NoisyLabelSegLib.training.settings import Settings

MOST_CASES = 20
"""Cases looked at, evenly chosen: enough to know how large things are."""

SHARE = 0.75
"""How much of a crop an outline may take: some of what lies around it should be seen, too."""

WORTH_IT = 1.25
"""A grid that is less than so many times as coarse is not worth the blur."""


def fitted(settings: Settings, cases: Sequence[Case]) -> Settings:
    """The settings with a spacing at which half of what is outlined takes at most three quarters of the patch.

    They stay as they are where that holds already, where a spacing is given, and for networks of volumes. Whoever sees
    a corner of a liver or of a cell at a time cannot tell inside from outside.
    """
    if not (settings.coarsen and settings.patch and settings.dimensions == 2) or settings.spacing:
        return settings
    chosen = [cases[place] for place in np.unique(np.linspace(0, len(cases) - 1, MOST_CASES).round().astype(int))]
    if len({case.geometry.dimension for case in chosen}) > 1:
        return settings
    extents = np.array([extent for case in chosen for extent in _extents(case, settings.axis)])
    if not len(extents):
        return settings
    own = np.median([max(_in_plane(case, settings.axis)) for case in chosen])
    spacing = round(float(np.median(extents)) / (SHARE * settings.patch), 3)
    if spacing < WORTH_IT * own:
        return settings
    whole = [spacing] * chosen[0].geometry.dimension
    if len(whole) == 3:
        whole[settings.axis] = 0.0
    return dataclasses.replace(settings, spacing=tuple(whole))


def _extents(case: Case, axis: int) -> Iterator[float]:
    """The longest edge, in mm, of the largest outline in every marked slice of everybody who labelled the case."""
    edges = np.asarray(_in_plane(case, axis))
    for labels in case.all_labels(tuple(case.annotations)):
        if labels is not None:
            for plane in labels[None] if labels.ndim == 2 else np.moveaxis(labels, axis, 0):
                if plane.any():
                    yield float((_largest(plane > 0) * edges).max())


def _largest(marked: NDArray[np.bool_]) -> NDArray[Any]:
    """The height and width, in pixels, of the largest connected part."""
    parts, _ = ndimage.label(marked)
    number = int(np.bincount(parts.ravel())[1:].argmax())
    return np.array([edge.stop - edge.start for edge in ndimage.find_objects(parts)[number]])


def _in_plane(case: Case, axis: int) -> list[float]:
    """The case's spacing in mm along the two axes of a slice, in the order of its arrays."""
    spacing = list(case.geometry.spacing[::-1])
    return spacing if len(spacing) == 2 else [edge for place, edge in enumerate(spacing) if place != axis]
