"""A mistake: one connected island of the same error, what it is, how large and where."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from NoisyLabelSegLib.review.units import MILLIMETERS, Units


class MistakeKind(Enum):
    """What a radiologist would call it."""

    MISSED = "missed object"
    INVENTED = "invented object"
    TOO_WIDE = "border too wide"
    TOO_TIGHT = "border too tight"
    HOLE = "hole"
    WRONG_CLASS = "wrong class"


BORDER_KINDS = (MistakeKind.TOO_WIDE, MistakeKind.TOO_TIGHT)


@dataclass(frozen=True)
class Mistake:
    """One island of an annotator's errors.

    `size` is mm3 (mm2 in 2D); `extent` the edges in mm of its box along the image's x, y (and z) axes; slices count
    from 1 along the array's first axis, and `slices` is how many there are. `center` (LPS, mm) is a voxel of the
    island itself, in the slice where the island is largest, so that jumping there shows it. `depth` in mm: for border
    mistakes and holes how far it reaches from what is right, else the radius of the largest ball that fits in.
    `side` is where a border mistake lies on its object: `left`, `right`, `anterior`, `posterior`, `superior` or
    `inferior` in the patient, in 2D `picture left`, `right`, `top` or `bottom`; empty if it lies all around.
    """

    case: str
    annotator: str
    kind: MistakeKind
    true_class: str
    drawn_class: str
    size: float
    extent: tuple[float, ...]
    first_slice: int
    last_slice: int
    slices: int
    center: tuple[float, ...]
    depth: float
    side: str = ""
    shared_with: tuple[str, ...] = ()
    units: Units = MILLIMETERS

    @property
    def center_ras(self) -> tuple[float, ...]:
        """The centre as Slicer counts: the first two axes point to the right and to the front."""
        return (-self.center[0], -self.center[1], *self.center[2:])
