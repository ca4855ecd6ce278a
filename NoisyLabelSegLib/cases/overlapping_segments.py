"""Segments that overlap cannot share one label image: each becomes a case of its own, with the labels 0 and 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from NoisyLabelSegLib.cases.geometry import Image
from NoisyLabelSegLib.cases.import_plan import PlannedCase, PlannedSource, distinct, usable_name
from NoisyLabelSegLib.cases.label_findings import same_class
from NoisyLabelSegLib.cases.segments import Segmentation

Read = Callable[[], Segmentation]
CLASSES = ("background", "segment")
REMARK = "Segments overlap, so every segment became a case of its own, named <case>_<segment>."


def split_by_segment(
    case: PlannedCase,
    readers: Mapping[str, Read],
    truth: Read | None = None,
    repeats: Mapping[str, Sequence[Read]] | None = None,
) -> list[PlannedCase]:
    """One case per name of a segment, in any spelling, each with the annotators (and the truth) that have it.

    A repeated reading without the segment becomes an empty mask: who read the case again did not draw it then.
    """
    drawn: dict[str, dict[str, PlannedSource]] = {}
    references: dict[str, PlannedSource] = {}
    names: dict[str, str] = {}
    for annotator, read in readers.items():
        for segment in read().segments:
            name = names.setdefault(same_class(segment.name), segment.name)
            drawn.setdefault(name, {})[annotator] = partial(_mask, read, name)
    for segment in truth().segments if truth is not None else ():
        assert truth is not None
        name = names.setdefault(same_class(segment.name), segment.name)
        references[name] = partial(_mask, truth, name)
        drawn.setdefault(name, {})
    again = {
        name: {
            annotator: tuple(partial(_mask, read, name) for read in reads)
            for annotator, reads in (repeats or {}).items()
            if annotator in labels
        }
        for name, labels in drawn.items()
    }
    ids = distinct(f"{case.id}_{usable_name(name, 'segment')}" for name in drawn)
    patient = case.patient or (case.id if len(ids) > 1 else None)
    return [
        replace(case, id=id, annotations=labels, truth=references.get(name), repeats=again[name], patient=patient)
        for id, (name, labels) in zip(ids, drawn.items(), strict=True)
    ]


def _mask(read: Read, name: str) -> Image:
    """All segments of this name, in any spelling, together, as 0 and 1."""
    segmentation = read()
    union = np.zeros(segmentation.geometry.shape, dtype=np.bool_)
    for segment in segmentation.segments:
        if same_class(segment.name) == same_class(name):
            union |= segmentation.mask(segment)
    return Image(union.astype(np.uint8), segmentation.geometry)
