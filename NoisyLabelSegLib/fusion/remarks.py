"""Sentences about votes that may surprise: who is missing, what nobody marked, which columns are guesses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.fusion.packing import UNKNOWN
from NoisyLabelSegLib.fusion.table import VoteTable


def remarks_on(table: VoteTable, names: Sequence[str], classes: int, *, pooled: bool = False) -> list[str]:
    """What people should know about these votes whatever the method.

    pooled: annotators were judged over other cases too, so this case says nothing about what is known of them.
    """
    seen = table.votes[table.counts > 0]
    missing = [name for name, votes in zip(names, seen.T, strict=True) if (votes == UNKNOWN).all()]
    remarks = []
    if missing:
        matrix = "" if pooled else f"; for want of evidence the confusion matrix is 1/{classes} everywhere"
        remarks.append(f"{_listed(missing)} did not label this case and had no say{matrix}.")
    if len(names) - len(missing) == 1 and not pooled:
        remarks.append("Only one annotator labelled this case, so the estimate is that annotator's labels.")
    if (seen <= 0).all():
        remarks.append("Nobody marked anything: the estimate is background everywhere.")
    elif (seen[(seen != UNKNOWN).any(axis=1)] != 0).all():
        remarks.append("Everybody marked every voxel: there is no background to learn from.")
    unseen = int(table.counts[table.is_unseen].sum())
    if unseen:
        remarks.append(f"{unseen} voxels were looked at by nobody and are left as background.")
    absent = np.delete(np.arange(classes), table.values)
    if len(absent) and not pooled:
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
