"""The list of mistakes: connected islands of the same error, with what they are, how large and where."""

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
from NoisyLabelSegLib.review.crop import Box
from NoisyLabelSegLib.review.island import Island
from NoisyLabelSegLib.review.settings import ReviewSettings
from NoisyLabelSegLib.review.shape import LabelShapes, Matches, connected, match
from NoisyLabelSegLib.review.units import MILLIMETERS, Units, units_of


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


class MistakeFinder:
    """Finds the mistakes of all annotators of one case, whose labels and truth are cut out of the volume at `box`."""

    def __init__(
        self,
        case: str,
        labels: Mapping[str, LabelShapes],
        truth: LabelShapes,
        *,
        box: Box,
        geometry: Geometry,
        classes: tuple[str, ...],
        settings: ReviewSettings,
    ) -> None:
        self._case, self._labels, self._truth = case, labels, truth
        self._box, self._geometry, self._classes, self._settings = box, geometry, classes, settings
        self._matches = lru_cache(maxsize=None)(self._match)

    def find(self, annotator: str) -> list[Mistake]:
        """The annotator's mistakes, largest first, without confetti."""
        count = len(self._classes)
        codes = _pair_codes(self._labels[annotator].labels, self._truth.labels, count)
        found = []
        for code, place in enumerate(ndimage.find_objects(codes), start=1):
            if place is not None:
                for island in self._islands(codes[place] == code, place):
                    found.append(self._mistake(island, annotator, *divmod(code, count)))
        kept = [mistake for mistake in found if not self._is_confetti(mistake)]
        return sorted(kept, key=lambda mistake: (-mistake.size, mistake.center))

    def _islands(self, mask: NDArray[np.bool_], place: Box) -> Iterator[Island]:
        """The islands of a mask that lies at `place`, without those that are too small."""
        parts = connected(mask)
        large = parts.voxels * self._geometry.voxel_volume >= self._settings.smallest_mistake
        for index in np.flatnonzero(large):
            inner = parts.boxes[index]
            offset = [a.start + b.start for a, b in zip(place, inner, strict=True)]
            yield Island(parts.labels[inner] == index + 1, tuple(offset), self._truth.labels.shape)

    def _mistake(self, island: Island, annotator: str, drawn: int, true: int) -> Mistake:
        kind = self._kind(island, annotator, drawn, true)
        corner = np.array([part.start for part in self._box])
        geometry, volume = self._geometry, self._geometry.dimension == 3
        return Mistake(
            case=self._case,
            annotator=annotator,
            kind=kind,
            true_class=self._classes[true],
            drawn_class=self._classes[drawn],
            size=island.voxels.size * geometry.voxel_volume,
            extent=tuple(n * edge for n, edge in zip(reversed(island.mask.shape), geometry.spacing, strict=True)),
            first_slice=island.offset[0] + int(corner[0]) + 1 if volume else 1,
            last_slice=island.offset[0] + int(corner[0]) + island.mask.shape[0] if volume else 1,
            slices=geometry.shape[0] if volume else 1,
            center=tuple(geometry.points(island.middle_voxel(geometry.spacing_zyx) + corner).tolist()),
            depth=self._depth(island, annotator, kind),
            side=self._side(island, annotator, drawn, true) if kind in BORDER_KINDS else "",
            shared_with=self._sharers(island, annotator, drawn),
            units=units_of(geometry),
        )

    def _kind(self, island: Island, annotator: str, drawn: int, true: int) -> MistakeKind:
        shapes = self._labels[annotator]
        if drawn and true:
            return MistakeKind.WRONG_CLASS
        if drawn:
            number = shapes.of_class(drawn).objects.labels.flat[island.voxels[0]]
            return MistakeKind.TOO_WIDE if self._matches(annotator, drawn, 0).real[number - 1] else MistakeKind.INVENTED
        number = self._truth.of_class(true).objects.labels.flat[island.voxels[0]]
        if not self._matches(annotator, 0, true).found[number - 1]:
            return MistakeKind.MISSED
        inside = bool((self._truth.labels.flat[island.surroundings()] != 0).all())
        return MistakeKind.HOLE if inside else MistakeKind.TOO_TIGHT

    def _match(self, annotator: str, drawn: int, true: int) -> Matches:
        """Objects of a class (0: of all) in the truth against those of a class (0: of all) that were drawn."""
        shapes = self._labels[annotator]
        one = self._truth.of_class(true) if true else self._truth.foreground
        other = shapes.of_class(drawn) if drawn else shapes.foreground
        return match(one.objects, other.objects, share=self._settings.matching_share)

    def _depth(self, island: Island, annotator: str, kind: MistakeKind) -> float:
        if kind is MistakeKind.TOO_WIDE:
            return float(self._truth.foreground.distances(island.voxels).max())
        if kind in (MistakeKind.TOO_TIGHT, MistakeKind.HOLE):
            return float(self._labels[annotator].foreground.distances(island.voxels).max())
        return island.radius(self._geometry.spacing_zyx)

    def _side(self, island: Island, annotator: str, drawn: int, true: int) -> str:
        shape = self._labels[annotator].of_class(drawn) if drawn else self._truth.of_class(true)
        number = int(shape.objects.labels.flat[island.voxels[0]])
        place = shape.objects.boxes[number - 1]
        inside = np.argwhere(shape.objects.labels[place] == number) + [part.start for part in place]
        away = (island.indices().mean(axis=0) - inside.mean(axis=0))[::-1] @ self._geometry.index_to_point_matrix.T
        reach = np.sqrt(((inside - inside.mean(axis=0)) ** 2 @ np.square(self._geometry.spacing_zyx)).mean())
        return _direction(away) if np.linalg.norm(away) > 0.5 * reach else ""

    def _sharers(self, island: Island, annotator: str, drawn: int) -> tuple[str, ...]:
        """Who else says the same on most of the island; the truth there is one class."""
        share = {
            other: np.mean(shapes.labels.flat[island.voxels] == drawn)
            for other, shapes in self._labels.items()
            if other != annotator
        }
        return tuple(other for other, value in share.items() if value >= self._settings.sharing_share)

    def _is_confetti(self, mistake: Mistake) -> bool:
        whole_object = mistake.kind in (MistakeKind.MISSED, MistakeKind.INVENTED)
        return not whole_object and mistake.depth <= self._settings.smallest_depth


def _pair_codes(labels: NDArray[Any], truth: NDArray[Any], classes: int) -> NDArray[Any]:
    """drawn * L + true where the two differ, 0 where they agree."""
    codes: NDArray[Any] = labels.astype(np.uint8 if classes * classes <= 256 else np.uint16)
    codes *= classes
    codes += truth
    codes[labels == truth] = 0
    return codes


def _direction(away: NDArray[np.float64]) -> str:
    """The word for the patient axis (LPS) along which a vector mostly points."""
    axis = int(np.argmax(np.abs(away)))
    words = [("left", "right"), ("posterior", "anterior"), ("superior", "inferior")]
    if len(away) == 2:
        words = [("picture right", "picture left"), ("picture bottom", "picture top")]
    return words[axis][0 if away[axis] > 0 else 1]
