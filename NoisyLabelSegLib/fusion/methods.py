"""Every fusion method by name: what the command line, the panel and the experiments offer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.hierarchical import hierarchical
from NoisyLabelSegLib.fusion.majority import majority
from NoisyLabelSegLib.fusion.mean import mean
from NoisyLabelSegLib.fusion.model import Solution
from NoisyLabelSegLib.fusion.simple import simple
from NoisyLabelSegLib.fusion.spatial_staple import spatial_staple
from NoisyLabelSegLib.fusion.staple import staple


@dataclass(frozen=True)
class Method:
    """A way to fuse: `title` and `sentence` are for people, `solve(table, **options)` does the work."""

    name: str
    title: str
    sentence: str
    solve: Callable[..., Solution]


METHODS = {
    method.name: method
    for method in (
        Method("mean", "Mean", "Averages all outlines: each voxel's probability is the share who marked it.", mean),
        Method("majority", "Majority", "Gives each voxel the label that most annotators gave it.", majority),
        Method(
            "staple",
            "STAPLE",
            "Works out how reliable each annotator is and trusts the reliable ones more.",
            staple,
        ),
        Method(
            "spatial-staple",
            "Spatial STAPLE",
            "As STAPLE, but lets each annotator be reliable in one place and careless in another.",
            spatial_staple,
        ),
        Method(
            "simple",
            "SIMPLE",
            "Votes, weighs annotators by how well they match the result, sets poor ones aside, and repeats.",
            simple,
        ),
        Method(
            "hierarchical",
            "Hierarchical majority",
            "First decides whether anything is there, then what: for nested or similar classes.",
            hierarchical,
        ),
    )
}


def method_named(name: str) -> Method:
    """The method of this name; any other is refused with the names there are."""
    if name not in METHODS:
        raise UserError(f"There is no fusion method {name!r}", remedy=f"choose one of {', '.join(METHODS)}")
    return METHODS[name]
