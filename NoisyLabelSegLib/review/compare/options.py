"""What a review can be told to do differently, and the units that lengths and sizes are given in."""

from __future__ import annotations

from dataclasses import dataclass

from NoisyLabelSegLib.cases import Geometry


@dataclass(frozen=True)
class ReviewOptions:
    """Lengths are millimeters, sizes cubic millimeters (square millimeters in 2D), shares between 0 and 1."""

    smallest_mistake: float = 10.0
    """Mistakes smaller than this are left out."""
    smallest_depth: float = 1.0
    """Border mistakes and wrong classes that are no deeper than this are left out; missed and invented objects stay."""
    smallest_object: float = 3.0
    """Smaller objects, mostly small components of a fused truth, are not counted as found, missed or invented."""
    matching_share: float = 0.1
    """Two objects are the same when they share at least this much of the smaller one."""
    sharing_share: float = 0.5
    """Another annotator shares a mistake when making the same error on at least this much of it."""
    border_tolerance: float = 0.25
    """A boundary bias below this share of the smallest voxel edge counts as drawing on the border."""
    resamples: int = 2000
    """How often the cases are drawn anew for a bootstrap interval."""
    seed: int = 0
    pictures: int = 6
    """How many slices a report shows."""

    def problems(self) -> list[str]:
        """What is wrong with the settings, in words; empty when they can be used."""
        found = []
        for name in ("smallest_mistake", "smallest_depth", "smallest_object", "border_tolerance"):
            if not getattr(self, name) >= 0:
                found.append(f"{name} must be 0 or more")
        for name in ("matching_share", "sharing_share"):
            if not 0 < getattr(self, name) <= 1:
                found.append(f"{name} must be above 0 and at most 1")
        if self.resamples < 100:
            found.append("resamples must be at least 100")
        if self.pictures < 0:
            found.append("pictures must be 0 or more")
        return found


@dataclass(frozen=True)
class Units:
    """The symbols behind a length and behind a size (a volume, in 2D an area)."""

    length: str = "mm"
    size: str = "mm³"

    def of_length(self, length: float) -> str:
        """A length as people write it: `1.3 mm`."""
        return f"{length:.1f} {self.length}"

    def of_size(self, size: float) -> str:
        """A size as people write it: `40 mm³`, and `1.2 ml` from a thousand cubic millimeters on."""
        if self.size == "mm³" and size >= 1000:
            return f"{size / 1000:.1f} ml"
        return f"{size:.0f} {self.size}" if size >= 10 or size == int(size) else f"{size:.1f} {self.size}"


MILLIMETERS = Units()


def units_of(geometry: Geometry) -> Units:
    """Millimeters, or pixels for a 2D picture of unit spacing, which is how files without spacing are read."""
    if geometry.dimension == 3:
        return MILLIMETERS
    return Units("mm", "mm²") if geometry.in_millimeters else Units("px", "px")
