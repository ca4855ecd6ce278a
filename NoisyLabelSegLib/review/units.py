"""What lengths and sizes are counted in, so that a picture without spacing is never said to have millimetres."""

from __future__ import annotations

from dataclasses import dataclass

from NoisyLabelSegLib.cases import Geometry


@dataclass(frozen=True)
class Units:
    """The symbols behind a length and behind a size (a volume, in 2D an area)."""

    length: str = "mm"
    size: str = "mm³"

    def of_length(self, length: float) -> str:
        """A length as people write it: `1.3 mm`."""
        return f"{length:.1f} {self.length}"

    def of_size(self, size: float) -> str:
        """A size as people write it: `40 mm³`, and `1.2 ml` from a thousand cubic millimetres on."""
        if self.size == "mm³" and size >= 1000:
            return f"{size / 1000:.1f} ml"
        return f"{size:.0f} {self.size}" if size >= 10 or size == int(size) else f"{size:.1f} {self.size}"


MILLIMETERS = Units()


def units_of(geometry: Geometry) -> Units:
    """Millimetres, or pixels for a 2D picture of unit spacing, which is how files without spacing are read."""
    if geometry.dimension == 3:
        return MILLIMETERS
    return Units("px", "px") if geometry.spacing == (1.0, 1.0) else Units("mm", "mm²")
