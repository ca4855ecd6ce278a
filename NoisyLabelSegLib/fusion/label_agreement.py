"""How well a network and annotators agree on labels: decides how much the labels count beside the image."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.metrics.overlap import dice

Labels = NDArray[np.uint8]

CLOSENESS = (0.8, 0.85, 0.95, 0.98)
SUPPORT = (0.0, 0.7, 0.7, 1.0)
"""The weight of fused labels by how close they are to an annotator whom the network agrees with; linear in between."""

NEUTRAL = 0.7
"""Stands for `LabelAgreement.relative` where nothing was measured."""


@dataclass(frozen=True)
class LabelAgreement:
    """How well the network and the annotators agree on cases with labels; no truth is used.

    network: annotator to the mean Dice of the network's truth to that annotator's labels. annotators: the mean Dice of
    two annotators' labels of the same case, None where no case has two.
    """

    network: Mapping[str, float]
    annotators: float | None = None

    @classmethod
    def of(cls, truth: Labels, labels: Mapping[str, Labels], classes: int) -> LabelAgreement:
        """Measured on one case."""
        pairs = [dice(one, other, classes) for one, other in combinations(labels.values(), 2)]
        network = {name: dice(truth, drawn, classes) for name, drawn in labels.items()}
        return cls(network, float(np.mean(pairs)) if pairs else None)

    @classmethod
    def from_json(cls, content: Any) -> LabelAgreement | None:
        """What a model card says; None where it says nothing that can be used."""
        found = content if isinstance(content, Mapping) else {}
        network, annotators = found.get("network"), found.get("annotators")
        if not isinstance(network, Mapping) or not network:
            return None
        if not all(
            isinstance(share, int | float) and 0 <= share <= 1 for share in (*network.values(), annotators or 0)
        ):
            return None
        return cls(dict(network), annotators)

    def to_json(self) -> dict[str, Any]:
        return {"network": dict(self.network), "annotators": self.annotators}

    @property
    def mean(self) -> float:
        """The network's mean Dice to the annotators."""
        return float(np.mean(list(self.network.values())))

    @property
    def relative(self) -> float:
        """How well annotators agree with each other compared to the network with them, at most 1."""
        return NEUTRAL if self.annotators is None else min(1.0, self.annotators / max(self.mean, 1e-9))

    @property
    def shortfall(self) -> float:
        """By which share the network agrees less with the annotators than they do with each other; 0 if it does not."""
        return 0.0 if self.annotators is None else max(0.0, 1 - self.mean / max(self.annotators, 1e-9))

    def support(self, fused: Mapping[str, float]) -> float:
        """From 0 to 1: how far fused labels can be trusted whose Dice to the annotators' labels is this.

        The Dice to an annotator counts in proportion to how well the network agrees with that annotator.
        """
        best = max(*self.network.values(), 1e-9)
        closest = max(found * self.network.get(name, 0.0) / best for name, found in fused.items())
        return float(np.interp(closest, CLOSENESS, SUPPORT))
