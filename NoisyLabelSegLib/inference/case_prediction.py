"""The prediction of one case, brought back to its own grid, annotator by annotator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.cases.estimates import Field, Labels
from NoisyLabelSegLib.inference.predictor import likeliest_labels
from NoisyLabelSegLib.training.preprocessing import Preprocessing


class CasePrediction:
    """The prediction of one case on its own grid; each annotator's part is made when it is asked for."""

    def __init__(
        self,
        geometry: Geometry,
        preprocessing: Preprocessing,
        names: Sequence[str],
        truth: Field,
        drawn: Labels | None,
        fields: Field | None,
    ) -> None:
        self._geometry, self._preprocessing, self.names = geometry, preprocessing, names
        self._drawn, self._fields = drawn, fields
        self.probabilities: Field = preprocessing.restored(truth, geometry)
        """(L, *shape) float32."""

    @property
    def truth(self) -> Labels:
        """The most probable class, (*shape) uint8."""
        return np.asarray(self.probabilities.argmax(axis=0), dtype=np.uint8)

    def annotators(self) -> Iterator[AnnotatorPrediction]:
        """Everybody, one at a time; nobody where no prediction of annotators was requested."""
        if self._drawn is None and self._fields is None:
            return
        for number, name in enumerate(self.names):
            labels = confusion = None
            if self._drawn is not None:
                labels = self._preprocessing.unarranged(self._drawn[number][None], self._geometry)[0]
            if self._fields is not None:
                classes = self._fields.shape[1]
                flat = self._fields[number].reshape(classes**2, *self._fields.shape[3:])
                restored = self._preprocessing.restored(flat, self._geometry)
                confusion = restored.reshape(classes, classes, *restored.shape[1:])
            yield AnnotatorPrediction(name, self.probabilities, labels, confusion)


class AnnotatorPrediction(NamedTuple):
    """One annotator: `confusion` (L, L, *shape) where asked for, `drawn` (*shape) where no resampling took place."""

    name: str
    probabilities: Field
    drawn: Labels | None
    confusion: Field | None

    def labels(self) -> Labels:
        """The labels that the annotator is expected to draw, (*shape) uint8."""
        if self.drawn is not None:
            return self.drawn
        assert self.confusion is not None
        return likeliest_labels(self.confusion, self.probabilities)
