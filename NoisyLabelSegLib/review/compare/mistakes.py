"""Connected components of one kind of error: finds them in a case, and says what, how large and where each is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.metrics.components import Box, Island
from NoisyLabelSegLib.metrics.runs import Objects, connected, row_slabs
from NoisyLabelSegLib.metrics.surfaces import LabelShapes, Matches, match
from NoisyLabelSegLib.review.compare.options import MILLIMETERS, ReviewOptions, Units, units_of


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
    `voxels` and `bounds` (smallest and largest coordinate of the voxel centers along each axis, LPS, mm) identify the
    island in a decisions file. `readers` is how many annotators labeled the case.
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
    voxels: int = 0
    bounds: tuple[float, ...] = ()
    readers: int = 0

    @property
    def is_contested(self) -> bool:
        """Whether most of those who labeled the case differ from the reference here in the same way."""
        return self.readers > 2 and 2 * (1 + len(self.shared_with)) > self.readers

    @property
    def center_ras(self) -> tuple[float, ...]:
        """The center as Slicer counts: the first two axes point to the right and to the front."""
        return (-self.center[0], -self.center[1], *self.center[2:])

    @property
    def bounds_ras(self) -> tuple[float, ...]:
        """The bounds as Slicer counts: (right0, right1, front0, front1, up0, up1)."""
        x0, x1, y0, y1, *rest = self.bounds
        return (-x1, -x0, -y1, -y0, *rest)


@dataclass(frozen=True)
class CaseView:
    """One case as its mistakes are looked for: everyone's labels and the truth, cut out of the volume at `box`."""

    case: str
    labels: Mapping[str, NDArray[Any]]
    truth: LabelShapes
    box: Box
    geometry: Geometry
    classes: tuple[str, ...]
    settings: ReviewOptions


def find_mistakes(view: CaseView, annotator: str, drawn: LabelShapes) -> list[Mistake]:
    """The annotator's mistakes in what was drawn, largest first, without negligible ones."""
    found = _Search(view, annotator, drawn).mistakes()
    kept = [mistake for mistake in found if not _is_negligible(mistake, view.settings)]
    return sorted(kept, key=lambda mistake: (-mistake.size, mistake.center))


class _Search:
    """One annotator's labels against the truth."""

    def __init__(self, view: CaseView, annotator: str, drawn: LabelShapes) -> None:
        self._view, self._annotator, self._drawn, self._truth = view, annotator, drawn, view.truth
        self._geometry, self._settings = view.geometry, view.settings
        self._cached_match = lru_cache(maxsize=None)(self._match)
        self._middle = lru_cache(maxsize=None)(self._find_middle)

    def mistakes(self) -> Iterator[Mistake]:
        """All islands that are large enough."""
        count = len(self._view.classes)
        codes = _pair_codes(self._drawn.labels, self._truth.labels, count)
        for code, place in enumerate(ndimage.find_objects(codes), start=1):
            if place is not None:
                for island in self._islands(codes[place] == code, place):
                    yield self._mistake(island, *divmod(code, count))

    def _islands(self, mask: NDArray[np.bool_], place: Box) -> Iterator[Island]:
        """The islands of a mask that lies at `place`, without those that are too small."""
        parts = connected(mask)
        large = parts.voxels * self._geometry.voxel_volume >= self._settings.smallest_mistake
        for index in np.flatnonzero(large):
            island, inner = parts.mask(int(index) + 1)
            offset = [a.start + b.start for a, b in zip(place, inner, strict=True)]
            yield Island(island, tuple(offset), self._truth.labels.shape)

    def _mistake(self, island: Island, drawn: int, true: int) -> Mistake:
        kind = self._kind(island, drawn, true)
        corner = np.array([part.start for part in self._view.box])
        geometry, volume = self._geometry, self._geometry.dimension == 3
        return Mistake(
            case=self._view.case,
            annotator=self._annotator,
            kind=kind,
            true_class=self._view.classes[true],
            drawn_class=self._view.classes[drawn],
            size=island.voxels.size * geometry.voxel_volume,
            extent=tuple(n * edge for n, edge in zip(reversed(island.mask.shape), geometry.spacing, strict=True)),
            first_slice=island.offset[0] + int(corner[0]) + 1 if volume else 1,
            last_slice=island.offset[0] + int(corner[0]) + island.mask.shape[0] if volume else 1,
            slices=geometry.shape[0] if volume else 1,
            center=tuple(geometry.points(island.middle_voxel(geometry.spacing_zyx) + corner).tolist()),
            depth=self._depth(island, kind),
            side=self._side(island, drawn, true) if kind in BORDER_KINDS else "",
            shared_with=self._sharers(island, drawn),
            units=units_of(geometry),
            voxels=int(island.voxels.size),
            bounds=self._bounds(island),
            readers=len(self._view.labels),
        )

    def _kind(self, island: Island, drawn: int, true: int) -> MistakeKind:
        if drawn and true:
            return MistakeKind.WRONG_CLASS
        if drawn:
            number = int(self._drawn.of_class(drawn).objects.at(island.voxels[0]))
            return MistakeKind.TOO_WIDE if self._matches(drawn, 0).real[number - 1] else MistakeKind.INVENTED
        number = int(self._truth.of_class(true).objects.at(island.voxels[0]))
        if not self._matches(0, true).found[number - 1]:
            return MistakeKind.MISSED
        inside = bool(np.take(self._truth.labels, island.surroundings()).all())
        return MistakeKind.HOLE if inside else MistakeKind.TOO_TIGHT

    def _matches(self, drawn: int, true: int) -> Matches:
        """Objects of a class (0: of all) in the truth against those of a class (0: of all) that were drawn."""
        return self._cached_match(1, 1) if len(self._view.classes) == 2 else self._cached_match(drawn, true)

    def _match(self, drawn: int, true: int) -> Matches:
        one = self._truth.of_class(true) if true else self._truth.foreground
        other = self._drawn.of_class(drawn) if drawn else self._drawn.foreground
        return match(one.objects, other.objects, share=self._settings.matching_share)

    def _depth(self, island: Island, kind: MistakeKind) -> float:
        if kind is MistakeKind.TOO_WIDE:
            return float(self._truth.foreground.distances(island.voxels).max())
        if kind in (MistakeKind.TOO_TIGHT, MistakeKind.HOLE):
            return float(self._drawn.foreground.distances(island.voxels).max())
        return island.radius(self._geometry.spacing_zyx)

    def _bounds(self, island: Island) -> tuple[float, ...]:
        """Smallest and largest coordinate of the island's voxel centers along each axis."""
        matrix, first = self._geometry.index_to_point_matrix, np.array(island.offset)
        corners = np.stack([first, first + island.mask.shape - 1])
        is_oblique = np.count_nonzero(np.abs(matrix) > 1e-6) > len(first)
        indices = island.indices() if is_oblique else corners  # a box has the same bounds unless it is turned
        points = self._geometry.points(indices + [part.start for part in self._view.box])
        return tuple(np.stack([points.min(axis=0), points.max(axis=0)], axis=1).ravel().tolist())

    def _side(self, island: Island, drawn: int, true: int) -> str:
        shape = self._drawn.of_class(drawn) if drawn else self._truth.of_class(true)
        middle, reach = self._middle(shape.objects, int(shape.objects.at(island.voxels[0])))
        away = (island.indices().mean(axis=0) - middle)[::-1] @ self._geometry.index_to_point_matrix.T
        return _direction(away) if np.linalg.norm(away) > 0.5 * reach else ""

    def _find_middle(self, objects: Objects, number: int) -> tuple[NDArray[np.float64], float]:
        """The middle of an object as an array index, and how far its voxels lie from there in mm (root mean square)."""
        mask, place = objects.mask(number)
        middle, square = np.zeros(mask.ndim), 0.0
        for axis, (part, edge) in enumerate(zip(place, self._geometry.spacing_zyx, strict=True)):
            weights = np.count_nonzero(mask, axis=tuple(other for other in range(mask.ndim) if other != axis))
            indices = np.arange(part.start, part.stop)
            middle[axis] = np.average(indices, weights=weights)
            square += edge**2 * float(np.average((indices - middle[axis]) ** 2, weights=weights))
        return middle, float(np.sqrt(square))

    def _sharers(self, island: Island, drawn: int) -> tuple[str, ...]:
        """Who else says the same on most of the island; the truth there is one class."""
        share = {
            other: np.mean(np.take(labels, island.voxels) == drawn)
            for other, labels in self._view.labels.items()
            if other != self._annotator
        }
        return tuple(other for other, value in share.items() if value >= self._settings.sharing_share)


def _is_negligible(mistake: Mistake, settings: ReviewOptions) -> bool:
    whole_object = mistake.kind in (MistakeKind.MISSED, MistakeKind.INVENTED)
    return not whole_object and mistake.depth <= settings.smallest_depth


def _pair_codes(labels: NDArray[Any], truth: NDArray[Any], classes: int) -> NDArray[Any]:
    """drawn * L + true where the two differ, 0 where they agree."""
    codes = np.zeros(labels.shape, dtype=np.uint8 if classes * classes <= 256 else np.uint16)
    for rows in row_slabs(codes.shape):
        drawn, true = labels[rows], truth[rows]
        differ = drawn != true
        codes[rows][differ] = drawn[differ].astype(codes.dtype) * codes.dtype.type(classes) + true[differ]
    return codes


def _direction(away: NDArray[np.float64]) -> str:
    """The word for the patient axis (LPS) along which a vector mostly points."""
    axis = int(np.argmax(np.abs(away)))
    words = [("left", "right"), ("posterior", "anterior"), ("superior", "inferior")]
    if len(away) == 2:
        words = [("picture right", "picture left"), ("picture bottom", "picture top")]
    return words[axis][0 if away[axis] > 0 else 1]
