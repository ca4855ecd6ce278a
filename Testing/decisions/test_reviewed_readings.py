"""Kidney tumors whose first readings were corrected in review: adjudication is closer to the review than any fusion."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import read_labels
from NoisyLabelSegLib.decisions import Decision, Decisions, adjudicate_case, find_disagreements
from NoisyLabelSegLib.fusion import METHODS, fuse
from NoisyLabelSegLib.metrics import dice

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "kits-tumours"
TUMORS = 10
CLOSE = 0.99
"""A reader's region is taken where this share of its voxels is as in the reviewed readings; others are edited."""


def corrected_most() -> list[str]:
    """Of the tumors with at least two corrected readings, those that were worst by their Dice to the reviewed vote."""
    with (DATA / "index.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    corrected = [[float(row[f"first{slot}_to_majority"]) for slot in row["revised_slots"]] for row in rows]
    means = {row["id"]: np.mean(values) for row, values in zip(rows, corrected, strict=True) if len(values) > 1}
    return sorted(means, key=lambda tumor: means[tumor])[:TUMORS]


@pytest.mark.skipif(not DATA.is_dir(), reason="needs the KiTS readings")
@pytest.mark.parametrize("number", range(TUMORS))
def test_adjudicated_first_readings_are_closer_to_the_review_than_every_fusion(number: int) -> None:
    folder = DATA / corrected_most()[number]
    reviewed = [read_labels(folder / f"reader{slot}.nrrd") for slot in (1, 2, 3)]
    first = {}
    for slot, final in enumerate(reviewed, start=1):
        path = folder / f"first{slot}.nrrd"
        first[f"reader{slot}"] = read_labels(path).array if path.exists() else final.array
    goal, reference = fuse([each.array for each in reviewed], "majority").labels, fuse(list(first.values()), "majority")
    geometry = reviewed[0].geometry
    found = find_disagreements(first, reference.labels, geometry)
    entries = []
    for place in range(1, len(found) + 1):
        box, mask = found.mask(place)
        wanted = goal[found.box][box][mask]
        offers = {"majority": found.majority} | {f"annotator:{name}": array for name, array in found.labels.items()}
        right = {choice: float(np.mean(array[box][mask] == wanted)) for choice, array in offers.items()}
        choice = max(right, key=lambda each: right[each])
        edit = "" if right[choice] >= CLOSE else "edits/case.nrrd"
        entries.append(Decision("case", found[place].region, "edited" if edit else choice, edit))
    decisions = Decisions("majority", decisions=tuple(entries))
    # The edited truth differs from the reference in disputed regions only: what all first readers agreed on stays.
    edited = reference.labels.copy()
    edited[found.box][found.numbers > 0] = goal[found.box][found.numbers > 0]
    truth = adjudicate_case("case", first, reference.labels, geometry, decisions, lambda _file: edited).labels
    fused = {name: dice(fuse(list(first.values()), name).labels > 0, goal > 0) for name in METHODS}
    assert dice(truth > 0, goal > 0) > max(fused.values())
