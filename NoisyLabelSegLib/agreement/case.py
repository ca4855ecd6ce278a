"""One case: every reader against every other, against the consensus of the others and against themselves."""

from __future__ import annotations

import itertools
import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from NoisyLabelSegLib.agreement.settings import AgreementSettings
from NoisyLabelSegLib.cases import Case, Study
from NoisyLabelSegLib.fusion import Fusion, Votes
from NoisyLabelSegLib.fusion.leave_one_out import leave_one_out
from NoisyLabelSegLib.metrics import joint_counts
from NoisyLabelSegLib.metrics.components import Box, busy_box
from NoisyLabelSegLib.metrics.detection import Detection, detection
from NoisyLabelSegLib.metrics.kappa import cohen_kappa, rating_sums
from NoisyLabelSegLib.metrics.overlap import dice_of_counts, dice_of_sizes, pairwise_counts
from NoisyLabelSegLib.metrics.surfaces import LabelShapes, surface_agreement

Pair = tuple[str, str]
MOST_GROUPS = 10
"""Of the groups of k readers at most this many are tried for each k."""


@dataclass(frozen=True)
class Comparison:
    """Two readings of one class (or the mean over classes); distances in millimeters, volumes in the case's unit.

    `empty` counts how many of the two are empty; `difference` is the volume of the second minus that of the first.
    """

    dice: float
    surface_dice: float
    hd95: float
    assd: float
    difference: float
    empty: int
    objects: Detection


@dataclass(frozen=True)
class Kappas:
    """Chance-corrected agreement on the voxels of one region; NaN where one class alone was used."""

    fleiss: float
    krippendorff: float
    cohen: Mapping[Pair, float]


@dataclass(frozen=True)
class GroupAgreement:
    """Consensus of groups of k readers: mean Dice with a reader outside the group, and with everyone's consensus."""

    with_left_out: float
    with_all: float


@dataclass(frozen=True)
class CaseAgreement:
    """What one case adds to a study; comparisons and volumes have one entry per foreground class.

    `volumes` holds, for each reader, all readings; `within` all pairs of readings by the same reader. `dimension` and
    `smallest_edge` (mm) are of the case's grid; without `in_millimeters` all lengths are pixels.
    """

    id: str
    patient: str
    dimension: int
    smallest_edge: float
    volumes: Mapping[str, tuple[tuple[float, ...], ...]]
    pairs: Mapping[Pair, tuple[Comparison, ...]] = field(default_factory=dict)
    within: Mapping[str, tuple[tuple[Comparison, ...], ...]] = field(default_factory=dict)
    leave_one_out: Mapping[str, tuple[Comparison, ...]] = field(default_factory=dict)
    region: Kappas | None = None
    whole_image: Kappas | None = None
    groups: Mapping[int, GroupAgreement] = field(default_factory=dict)
    in_millimeters: bool = True


def compare_case(panel: Study, settings: AgreementSettings, case: Case) -> CaseAgreement:
    """Compares all readings of a case; `panel` is the study, whose cases are not looked at."""
    classes = len(panel.classes)
    names = [name for name in panel.annotators if name in case.annotations]
    readings = {name: case.readings(name) for name in names}
    geometry = case.geometry
    spacing, edge = geometry.spacing_zyx, min(geometry.spacing)
    reach = max(1, math.ceil(settings.margin_mm / edge))
    box = busy_box([labels for several in readings.values() for labels in several], geometry.shape, margin=reach)
    unit = geometry.voxel_volume / (1000 if geometry.dimension == 3 else 1)
    measure = _Measure(classes, spacing, unit, settings)
    shapes = {name: [measure.shapes(labels[box]) for labels in several] for name, several in readings.items()}
    first = {name: several[0] for name, several in shapes.items()}
    within = {
        name: tuple(measure.compare(one, other) for one, other in itertools.combinations(several, 2))
        for name, several in shapes.items()
        if len(several) > 1
    }
    result: dict[str, Any] = {}
    if len(names) > 1:
        consensus = _Consensus(names, [readings[name][0] for name in names], classes, settings.method)
        labels = {name: first[name].labels for name in names}
        readings.clear()  # what is outside the box is of no more use
        outside = int(np.prod(geometry.shape)) - labels[names[0]].size
        result = {
            "pairs": {(a, b): measure.compare(first[a], first[b]) for a, b in itertools.combinations(names, 2)},
            "leave_one_out": {
                name: measure.compare(measure.shapes(found), first[name]) for name, found in consensus.without_each(box)
            },
            "region": _kappas(labels, classes, _region(labels, spacing, settings.margin_mm)),
            "whole_image": _kappas(labels, classes, None, outside),
            "groups": _groups(case.id, consensus, settings.seed),
        }
    return CaseAgreement(
        id=case.id,
        patient=case.patient or f"case {case.id}",
        dimension=geometry.dimension,
        smallest_edge=edge,
        volumes={name: tuple(measure.volumes(item) for item in several) for name, several in shapes.items()},
        within=within,
        in_millimeters=geometry.in_millimeters,
        **result,
    )


@dataclass(frozen=True)
class _Measure:
    """Compares label images of one case."""

    classes: int
    spacing: tuple[float, ...]
    unit: float
    settings: AgreementSettings

    def shapes(self, labels: NDArray[Any]) -> LabelShapes:
        return LabelShapes(np.ascontiguousarray(labels), self.spacing, self.classes)

    def volumes(self, reading: LabelShapes) -> tuple[float, ...]:
        counts = np.bincount(reading.labels.reshape(-1), minlength=self.classes)
        return tuple(float(count) * self.unit for count in counts[1:].tolist())

    def compare(self, first: LabelShapes, second: LabelShapes) -> tuple[Comparison, ...]:
        """Class by class, without the background."""
        counts = joint_counts(first.labels, second.labels, self.classes)
        return tuple(self._compare(first, second, counts, label) for label in range(1, self.classes))

    def _compare(self, first: LabelShapes, second: LabelShapes, counts: NDArray[np.int64], label: int) -> Comparison:
        one, other = first.of_class(label), second.of_class(label)
        sizes = int(counts[label].sum()), int(counts[:, label].sum())
        surfaces = surface_agreement(one, other, self.settings.tolerance_mm)
        return Comparison(
            dice=float(dice_of_sizes(int(counts[label, label]), *sizes)),
            surface_dice=surfaces.surface_dice,
            hd95=surfaces.hd95,
            assd=surfaces.assd,
            difference=(sizes[1] - sizes[0]) * self.unit,
            empty=sum(not size for size in sizes),
            objects=detection(one.objects, other.objects, threshold=self.settings.match_iou),
        )


class _Consensus:
    """The consensus of any group of readers of one case; each is made once, as a table of vote patterns."""

    def __init__(self, names: Sequence[str], labels: Sequence[NDArray[Any]], classes: int, method: str) -> None:
        self.names, self.classes = names, classes
        self._votes = Votes(labels, classes=classes, names=names)
        self._method = method
        self._made: dict[frozenset[str], Fusion] = {}

    def without_each(self, box: Box) -> Iterator[tuple[str, NDArray[np.uint8]]]:
        """For every reader the consensus of all the others, cropped to a box."""
        for name, fusion in zip(self.names, leave_one_out(self._votes, self._method), strict=True):
            if fusion is not None:
                yield name, np.ascontiguousarray(fusion.labels[box])

    def dice_with_readers(self, group: Sequence[str]) -> dict[str, float]:
        """Mean Dice over classes of the group's consensus and each reader's labels."""
        counts = self._votes.counts_against(self._of(group))[:, :, : self.classes]
        return {name: float(dice_of_counts(table).mean()) for name, table in zip(self.names, counts, strict=True)}

    def dice(self, group: Sequence[str], other: Sequence[str]) -> float:
        """Mean Dice over classes of the consensuses of two groups."""
        counts = self._of(group).joint_counts(self._of(other))[: self.classes, : self.classes]
        return float(dice_of_counts(counts).mean())

    def _of(self, group: Sequence[str]) -> Fusion:
        key = frozenset(group)
        if key not in self._made:
            places = [place for place, name in enumerate(self.names) if name in key]
            self._made[key] = self._votes.fuse(self._method, annotators=places)
        return self._made[key]


def _groups(id: str, consensus: _Consensus, seed: int) -> dict[int, GroupAgreement]:
    """By the number of readers in a group; the groups tried depend on the seed and the case's name only."""
    names = list(consensus.names)
    random = np.random.default_rng([seed, zlib.crc32(id.encode())])
    found = {}
    for size in range(1, len(names)):
        with_left_out, with_all = [], []
        for group in _some_groups(names, size, random):
            with_all.append(consensus.dice(group, names))
            with_readers = consensus.dice_with_readers(group)
            with_left_out += [with_readers[name] for name in names if name not in group]
        found[size] = GroupAgreement(float(np.mean(with_left_out)), float(np.mean(with_all)))
    return found


def _some_groups(names: Sequence[str], size: int, random: np.random.Generator) -> list[tuple[str, ...]]:
    """All groups of this size where they are few, else as many different ones at random."""
    if math.comb(len(names), size) <= MOST_GROUPS:
        return list(itertools.combinations(names, size))
    chosen: set[tuple[int, ...]] = set()
    while len(chosen) < MOST_GROUPS:
        chosen.add(tuple(sorted(random.choice(len(names), size, replace=False).tolist())))
    return [tuple(names[place] for place in places) for places in sorted(chosen)]


def _region(labels: Mapping[str, NDArray[Any]], spacing: tuple[float, ...], margin_mm: float) -> NDArray[np.bool_]:
    """The voxels no further than the margin, along every axis, from a voxel that any reader marked."""
    marked = np.zeros(next(iter(labels.values())).shape, np.uint8)
    for array in labels.values():
        marked |= (array != 0).view(np.uint8)
    for axis, edge in enumerate(spacing):
        reach = math.floor(margin_mm / edge + 1e-6)
        if reach:
            marked = ndimage.maximum_filter1d(marked, 2 * reach + 1, axis=axis, mode="constant")
    return marked.astype(np.bool_)


def _kappas(
    labels: Mapping[str, NDArray[Any]], classes: int, region: NDArray[np.bool_] | None, outside: int = 0
) -> Kappas:
    """On the voxels of the region (None for all), and `outside` more voxels that everyone calls background."""
    flat = {name: array.reshape(-1) if region is None else array[region] for name, array in labels.items()}
    sums = rating_sums(list(flat.values()), classes).with_agreed_background(outside)
    counts = pairwise_counts(list(flat.values()), classes)
    counts[:, :, 0, 0] += outside
    pairs = itertools.combinations(range(len(flat)), 2)
    names = list(flat)
    cohen = {(names[a], names[b]): cohen_kappa(counts[a, b]) for a, b in pairs}
    return Kappas(sums.fleiss_kappa, sums.krippendorff_alpha, cohen)
