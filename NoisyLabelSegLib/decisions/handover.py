"""Disagreements that another process has found: plain files in a folder, quick to write and mapped when read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.decisions.adjudication import Labels, labels_digest
from NoisyLabelSegLib.decisions.record import Region
from NoisyLabelSegLib.decisions.regions import Disagreement, Disagreements, find_disagreements
from NoisyLabelSegLib.errors import UserError

FOUND = "disagreements.json"
MOST_DESCRIBED = 1000
"""So many of the largest are described; the description of a smaller one is made when it is asked for."""


def write_disagreements(
    folder: Path, labels: Mapping[str, Labels], reference: Labels, geometry: Geometry, *, agreed_share: float | None
) -> None:
    """Finds the disagreements of a case and leaves them in a folder that is there."""
    found = find_disagreements(labels, reference, geometry, agreed_share=agreed_share)
    for name in ("numbers", "base", "majority"):
        np.save(folder / f"{name}.npy", getattr(found, name))
    described = [asdict(found[number]) for number in range(1, min(len(found), MOST_DESCRIBED) + 1)]
    content = {
        "box": [(part.start, part.stop) for part in found.box],
        "regions": described,
        "labels_sha256": labels_digest(labels),
    }
    (folder / FOUND).write_text(json.dumps(content), encoding="utf-8")


def read_disagreements(
    folder: Path, labels: Mapping[str, Labels], geometry: Geometry
) -> tuple[Disagreements, dict[int, Disagreement], str]:
    """What write_disagreements() left: the regions, their descriptions by number, and the digest of the labels."""
    try:
        content = json.loads((folder / FOUND).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError("holds no disagreements", file=folder, remedy="list them again", detail=str(error)) from error
    box = tuple(slice(*pair) for pair in content["box"])
    numbers, base, majority = (np.load(folder / f"{name}.npy") for name in ("numbers", "base", "majority"))
    drawn = {name: array[box] for name, array in labels.items()}
    regions = Disagreements(box, numbers, base, majority, drawn, geometry)
    return regions, {each["number"]: _disagreement(each) for each in content["regions"]}, content["labels_sha256"]


def _disagreement(entry: dict[str, Any]) -> Disagreement:
    region = entry["region"]
    place = Region(tuple(region["center_ras"]), region["voxels"], tuple(region["bounds"]))
    groups = tuple(tuple(group) for group in entry["groups"])
    return Disagreement(**{**entry, "region": place, "groups": groups, "slices": tuple(entry["slices"])})
