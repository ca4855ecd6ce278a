"""A simulated annotator: a name, a way of erring and how strongly, drawing on scans of any number of classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import ndimage

from NoisyLabelSegLib.simulation.fields import smooth_noise
from NoisyLabelSegLib.simulation.kinds import KINDS, Hand
from NoisyLabelSegLib.simulation.scan import Labels, Mask, Scan

CONFUSES = "confuses"


@dataclass(frozen=True)
class SimulatedAnnotator:
    """`target` is the class that is drawn wrongly, None for all foreground together.

    `strength` counts the kind's unit (see KINDS; a share of 0 to 1 for `confuses`); None stands for its typical value.
    `dice` is the mean Dice to the truth that the strength is to be solved for.
    """

    name: str
    kind: str
    strength: float | None = None
    dice: float | None = None
    target: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def has_strength(self) -> bool:
        return self.kind == CONFUSES or KINDS[self.kind].has_strength

    @property
    def start_strength(self) -> float:
        """The strength that is scaled when a Dice is solved for."""
        typical = 0.3 if self.kind == CONFUSES else KINDS[self.kind].typical
        return typical if self.strength is None else self.strength

    def draw(self, scan: Scan, seed: int, *, scale: float = 1.0) -> Labels:
        """This annotator's labels, (*shape) uint8: the same for the same seed, name and case, at any time."""
        strength, hand = self.start_strength * scale, Hand(seed, self.name, self.options)
        if self.kind == CONFUSES:
            return _confused(scan, strength, hand)
        if self.has_strength and strength <= 0:
            return scan.truth.copy()
        shape = scan.shape_of(self.target)
        drawn = KINDS[self.kind].draw(scan, shape, strength, hand)
        return _with_outline(scan.truth, shape.mask, drawn, self.target)


def _with_outline(truth: Labels, mask: Mask, drawn: Mask, target: int | None) -> Labels:
    """The truth with one outline replaced: what is left bare takes the label nearest to it, what is added the target's.

    Without a target, all foreground is one outline, and what is added takes the nearest foreground label.
    """
    labels = truth.copy()
    lost, added = mask & ~drawn, drawn & ~mask
    if lost.any():
        labels[lost] = 0 if target is None else _nearest(truth, ~mask)[lost]
    if added.any():
        foreground = int(truth.max()) > 1 and target is None
        labels[added] = _nearest(truth, mask)[added] if foreground else (1 if target is None else target)
    return labels


def _nearest(labels: Labels, known: Mask) -> Labels:
    """Every voxel's nearest label among the known voxels, 0 where nothing is known."""
    if not known.any():
        return np.zeros_like(labels)
    indices = ndimage.distance_transform_edt(~known, return_distances=False, return_indices=True)
    return np.asarray(labels[tuple(indices)])


def _confused(scan: Scan, share: float, hand: Hand) -> Labels:
    """Takes each of two classes for the other in patches that make up this share of them."""
    first, second = hand.options["classes"]
    labels = scan.truth.copy()
    patches = smooth_noise(hand.chance(scan), labels.shape, scan.spacing, 10.0)
    for true, said in ((first, second), (second, first)):
        places = scan.truth == true
        if share > 0 and places.any():
            labels[places & (patches <= np.quantile(patches[places], min(share, 1.0)))] = said
    return labels
