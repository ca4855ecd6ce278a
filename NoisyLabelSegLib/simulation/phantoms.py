"""The phantom studies that can be made, with their modest defaults."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.simulation.brain_mr import CLASSES, make_lesions, make_tumor
from NoisyLabelSegLib.simulation.nodules import make_nodule
from NoisyLabelSegLib.simulation.recipe import MadeCase, MakePhantom, Recipe, centered
from NoisyLabelSegLib.simulation.scan import seeded
from NoisyLabelSegLib.simulation.settings import SimulationSettings

DEVICES = ("A", "B")


@dataclass(frozen=True)
class PhantomKind:
    """A phantom's classes and defaults; `size` and `spacing` (mm) in x, y, z order."""

    classes: tuple[str, ...]
    make: MakePhantom
    size: tuple[int, ...]
    spacing: tuple[float, ...]
    panel: str


PHANTOMS = {
    "lesions": PhantomKind(("background", "lesion"), make_lesions, (80, 80, 16), (2.2, 2.2, 6.0), "paper"),
    "tumour": PhantomKind(CLASSES, make_tumor, (80, 80, 16), (2.2, 2.2, 6.0), "paper-classes"),
    "nodules": PhantomKind(("background", "nodule"), make_nodule, (64, 64, 20), (0.8, 0.8, 2.0), "radiologists"),
}
"""Small enough that a network learns from the twenty cases of a default study within a minute on a laptop."""

DEFAULT_CASES = 20


def phantom_recipe(kind: str, settings: SimulationSettings) -> Recipe:
    """Cases that depend on the seed and their own number only, so that a longer study begins with a shorter one."""
    phantom, total = PHANTOMS[kind], settings.cases or DEFAULT_CASES
    size, spacing = _grid(phantom, settings)

    def cases() -> Iterator[MadeCase]:
        for index in range(total):
            random = seeded(settings.seed, kind, index)
            device = DEVICES[int(random.integers(len(DEVICES)))]
            made = phantom.make(random, size[::-1], spacing[::-1], device)
            yield MadeCase(f"{kind}_{index:03d}", made, centered(size[::-1], spacing), device)

    return Recipe(kind, phantom.classes, phantom.panel, total, cases())


def _grid(kind: PhantomKind, settings: SimulationSettings) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Size and spacing in x, y, z order; one or two numbers set the plane and keep the default slices."""
    size, spacing = _filled(settings.size, kind.size), _filled(settings.spacing, kind.spacing)
    if settings.size is not None and settings.spacing is None:  # the same field of view in more or fewer voxels
        extent = np.multiply(kind.size, kind.spacing)
        spacing = tuple(round(float(edge), 4) for edge in extent / size)
    return size, spacing


def _filled(given: tuple[Any, ...] | None, default: tuple[Any, ...]) -> tuple[Any, ...]:
    if given is None:
        return default
    if len(given) > len(default):
        raise UserError(f"{len(given)} numbers were given for {len(default)} axes")
    plane = (given[0], given[0]) if len(given) == 1 else given
    return (*plane, *default[len(plane) :])
