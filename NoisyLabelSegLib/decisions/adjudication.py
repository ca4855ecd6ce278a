"""Applies decisions to the labels they are about; the same decisions on the same labels give the same voxels."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.decisions.record import EDITED, ESTIMATE, MAJORITY, UNCLEAR, Decision, Decisions
from NoisyLabelSegLib.decisions.regions import AGREED, Disagreements, find_disagreements
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.words import counted

Labels = NDArray[np.uint8]


@dataclass(frozen=True)
class AdjudicatedCase:
    """The truth of a case after its decisions.

    labels: (*shape) uint8. decided: region number to the decision about it, AGREED (0) to an edit where all agree;
    `unclear` are those decided as unclear.
    changed_labels: whether the labels are not those that the decisions were made on.
    """

    labels: Labels
    regions: Disagreements
    decided: Mapping[int, Decision]
    changed_labels: bool

    @property
    def unclear(self) -> list[int]:
        return [number for number, decision in self.decided.items() if decision.choice == UNCLEAR]

    @property
    def undecided(self) -> list[int]:
        """Regions that nobody has decided about, largest first."""
        return [number for number in range(1, len(self.regions) + 1) if number not in self.decided]

    @property
    def is_edited(self) -> bool:
        return any(decision.choice == EDITED for decision in self.decided.values())


def adjudicate_case(
    case: str,
    labels: Mapping[str, Labels],
    reference: Labels,
    geometry: Geometry,
    decisions: Decisions,
    read_edit: Callable[[str], Labels] = lambda _file: np.zeros(0, dtype=np.uint8),
) -> AdjudicatedCase:
    """The truth of one case: the reference, with every decided region as it was decided.

    An undecided or unclear region keeps the reference. "edited" takes the edited truth in its region, and also where
    all annotators and the reference agree, so that corrections of what nobody marked are kept. A region that is not
    there raises a UserError: labels or reference differ from those that were decided about.
    """
    regions = find_disagreements(
        labels, reference, geometry, agreed_share=decisions.agreed_share, connectivity=decisions.connectivity
    )
    decided: dict[int, Decision] = {}
    for decision in decisions.of(case):
        number = place_of(decision, regions)
        if number is None:
            raise UserError(
                f"Case {case} has no disagreement at {_place(decision)} as the decisions file describes it",
                remedy="use the labels, the reference and the settings with which the decisions were made",
            )
        if decision.annotator and decision.annotator not in labels:
            raise UserError(f"Case {case} has no labels of {decision.annotator}, whom a decision names")
        decided[number] = decision
    edits = {file: read_edit(file) for file in sorted({each.edit for each in decided.values() if each.edit})}
    for file, edited in edits.items():
        if edited.shape != reference.shape:
            raise UserError(f"The edited truth {file} of case {case} is not on the grid of the case")
    truth = decided_labels(reference, regions, decided, edits)
    digest = decisions.labels_sha256.get(case)
    return AdjudicatedCase(truth, regions, decided, digest is not None and digest != labels_digest(labels))


def place_of(decision: Decision, regions: Disagreements) -> int | None:
    """The number of the region that a decision is about, AGREED for an edit where all agree, None for no such place."""
    number = regions.find(decision.region)
    if number is None and decision.choice == EDITED and regions.is_agreed(decision.region):
        return AGREED
    return number


def decided_labels(
    reference: Labels, regions: Disagreements, decided: Mapping[int, Decision], edits: Mapping[str, Labels]
) -> Labels:
    """The reference with every decided region as it was decided; `edits` are the edited truths by their file.

    An edited truth also applies where there is no disagreement.
    """
    truth, inner = reference.copy(), regions.base.copy()
    for file, edited in edits.items():
        numbers = regions.numbers
        outside = np.ones(truth.shape, dtype=bool)
        outside[regions.box] = numbers == 0
        np.copyto(truth, edited, where=outside)
        np.copyto(inner, edited[regions.box], where=numbers == 0)
        _apply(inner, regions, {n: d for n, d in decided.items() if d.edit == file}, edited[regions.box])
    _apply(inner, regions, {n: d for n, d in decided.items() if d.choice != EDITED}, None)
    truth[regions.box] = inner
    return truth


def labels_digest(labels: Mapping[str, Labels]) -> str:
    """SHA-256 over the names, shapes and voxels of all annotators' labels, in the order of the names."""
    digest = hashlib.sha256()
    for name, array in sorted(labels.items()):
        digest.update(f"{name}\0{','.join(map(str, array.shape))}\0".encode())
        digest.update(np.ascontiguousarray(array, dtype=np.uint8).data)
    return digest.hexdigest()


def _apply(inner: Labels, regions: Disagreements, decided: Mapping[int, Decision], edited: Labels | None) -> None:
    """Writes the decided regions into the labels of the box."""
    for number, decision in decided.items():
        if decision.choice in (ESTIMATE, UNCLEAR) or number == AGREED:
            continue
        source = regions.majority if decision.choice == MAJORITY else edited
        source = regions.labels[decision.annotator] if decision.annotator else source
        assert source is not None
        place, mask = regions.mask(number)
        inner[place][mask] = source[place][mask]


def _place(decision: Decision) -> str:
    center = ", ".join(f"{value:.1f}" for value in decision.region.center_ras)
    size = f" with {counted(decision.region.voxels, 'voxel')}" if decision.region.voxels else ""
    return f"RAS ({center}){size}"
