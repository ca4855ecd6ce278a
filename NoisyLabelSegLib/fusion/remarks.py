"""Sentences about votes that may surprise: who is missing, what nobody marked, which columns are guesses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.fusion.packing import UNKNOWN
from NoisyLabelSegLib.fusion.table import VoteTable


def remarks_on(table: VoteTable, names: Sequence[str], classes: int) -> list[str]:
    """What people should know about these votes whatever the method."""
    seen = table.votes[table.counts > 0]
    missing = [name for name, votes in zip(names, seen.T, strict=True) if (votes == UNKNOWN).all()]
    remarks = []
    if missing:
        remarks.append(
            f"{_listed(missing)} did not label this case and had no say; "
            f"the confusion matrix is 1/{classes} everywhere for want of evidence."
        )
    if len(names) - len(missing) == 1:
        remarks.append("Only one annotator labelled this case, so the estimate is that annotator's labels.")
    if (seen <= 0).all():
        remarks.append("Nobody marked anything: the estimate is background everywhere.")
    elif len(table.values) == 2 and (seen[(seen != UNKNOWN).any(axis=1)] != 0).all():
        remarks.append("Everybody marked every voxel: there is no background to learn from.")
    unseen = table.counts[(table.votes == UNKNOWN).all(axis=1)].sum()
    if unseen:
        remarks.append(f"{int(unseen)} voxels were looked at by nobody; there the estimate is a guess.")
    absent = np.setdiff1d(np.arange(classes), table.values)
    if len(absent):
        remarks.append(
            f"Nobody used {'class' if len(absent) == 1 else 'classes'} {_ranges(absent)}; "
            f"what annotators would make of {'it' if len(absent) == 1 else 'them'} is unknown (1/{classes})."
        )
    return remarks


def _listed(names: Sequence[str]) -> str:
    text = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return text[0].upper() + text[1:] if text.startswith("annotator ") else text


def _ranges(numbers: NDArray[Any]) -> str:
    """Numbers as people write them: 1, 3-5."""
    parts = np.split(numbers, np.flatnonzero(np.diff(numbers) > 1) + 1)
    return ", ".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)
