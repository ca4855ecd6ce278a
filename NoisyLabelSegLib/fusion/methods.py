"""Every fusion method by name: what the command line, the panel and the experiments offer."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.collate import collate
from NoisyLabelSegLib.fusion.lop_staple import lop_staple
from NoisyLabelSegLib.fusion.model import Solution
from NoisyLabelSegLib.fusion.non_local_staple import non_local_staple
from NoisyLabelSegLib.fusion.spatial_staple import spatial_staple
from NoisyLabelSegLib.fusion.staple import staple
from NoisyLabelSegLib.fusion.steps import steps
from NoisyLabelSegLib.fusion.table import VoteTable
from NoisyLabelSegLib.fusion.voting import hierarchical, majority, mean, simple
from NoisyLabelSegLib.fusion.weighted_majority import weighted_majority


@dataclass(frozen=True)
class Method:
    """A way to fuse: `title` and `sentence` are for people.

    `pools` says that it learns about annotators, so that cases with the same annotators are better fused together.
    """

    name: str
    title: str
    sentence: str
    function: Callable[..., Solution]
    pools: bool = False

    @property
    def options(self) -> tuple[str, ...]:
        """The names of the options that it takes; their meaning is in the function's docstring."""
        return tuple(inspect.signature(self.function).parameters)[1:]

    def solve(self, table: VoteTable, options: Mapping[str, Any]) -> Solution:
        """Fuses the votes of a table; an option that the method does not have is refused."""
        for name in options:
            if name not in self.options:
                raise UserError(
                    f"{self.title} has no option {name!r}", remedy=f"it has {', '.join(self.options) or 'none'}"
                )
        try:
            _require_sensible(options)
            return self.function(table, **options)
        except (TypeError, ValueError) as error:
            if not options:
                raise
            given = ", ".join(f"{name}={value!r}" for name, value in options.items())
            raise UserError(
                f"{self.title} cannot work with {given}", remedy="see docs/fusion.md for its options", detail=str(error)
            ) from error


LEAST: Mapping[str, float] = {"max_iterations": 1, **dict.fromkeys(("caution", "pseudo_counts", "alpha", "power"), 0)}
"""Options, by whatever method they are taken, that must not be smaller than this."""
_REMEDY = "leave it out to take the default"


def _require_sensible(options: Mapping[str, Any]) -> None:
    """Refuses numbers that are not finite or too small."""
    for name, value in options.items():
        numbers = value if isinstance(value, list | tuple | np.ndarray) else [value]
        if any(isinstance(number, float | np.floating) and not np.isfinite(number) for number in numbers):
            raise UserError(f"{name} must be a finite number", remedy=_REMEDY)
        if name in LEAST and value is not None and value < LEAST[name]:
            limit = f"below {LEAST[name]}" if LEAST[name] else "negative"
            raise UserError(f"{name} must not be {limit}", remedy=_REMEDY)


METHODS = {
    method.name: method
    for method in (
        Method("mean", "Mean", "Averages all outlines: each voxel's probability is the share who marked it.", mean),
        Method("majority", "Majority", "Gives each voxel the label that most annotators gave it.", majority),
        Method(
            "weighted-majority",
            "Weighted majority",
            "Votes, weighing each annotator by agreement with the plain vote; nobody outweighs all others together.",
            weighted_majority,
            pools=True,
        ),
        Method(
            "staple",
            "STAPLE",
            "Works out how reliable each annotator is and trusts the reliable ones more.",
            staple,
            pools=True,
        ),
        Method(
            "spatial-staple",
            "Spatial STAPLE",
            "As STAPLE, but lets each annotator be reliable in one place and careless in another.",
            spatial_staple,
        ),
        Method(
            "lop-staple",
            "LOP STAPLE",
            "As STAPLE, but annotators' votes are weighted by reliability and not taken as independent.",
            lop_staple,
            pools=True,
        ),
        Method(
            "collate",
            "COLLATE",
            "As STAPLE, but judges annotators only where they can err, not where everybody sees the same.",
            collate,
            pools=True,
        ),
        Method(
            "simple",
            "SIMPLE",
            "Votes, weighs annotators by how well they match the result, sets poor ones aside, and repeats.",
            simple,
            pools=True,
        ),
        Method(
            "hierarchical",
            "Hierarchical majority",
            "First decides whether anything is there, then what: for nested or similar classes.",
            hierarchical,
        ),
    )
}

ATLAS_METHODS = {
    method.name: method
    for method in (
        Method(
            "steps",
            "STEPS",
            "As STAPLE, with a say only for annotations whose own registered image resembles the scan there.",
            steps,
        ),
        Method(
            "non-local-staple",
            "Non-local STAPLE",
            "As STAPLE, but looks nearby in each annotation's own registered image for what the scan shows.",
            non_local_staple,
        ),
    )
}
"""Methods for labels that come with an image of their own, as in multi-atlas segmentation."""

DEFAULT = "weighted-majority"
"""The method of everything that names none: fuse(), the verbs and the panel."""


def method_named(name: str) -> Method:
    """The method of this name; any other is refused with the names there are."""
    every = {**METHODS, **ATLAS_METHODS}
    if name not in every:
        raise UserError(f"There is no fusion method {name!r}", remedy=f"choose one of {', '.join(every)}")
    return every[name]
