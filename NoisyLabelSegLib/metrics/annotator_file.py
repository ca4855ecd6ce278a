"""Confusion matrices that hold for a whole case or study, from the `annotators.json` that fusion writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.errors import UserError


def read_matrices(path: Path, classes: int) -> dict[str, NDArray[np.float32]]:
    """Annotator to (L, L) float32; empty where the file does not exist or holds no matrices.

    Read leniently: `annotators` is a list of objects with `annotator` or `name`, or an object by name; the matrix of
    each is under `confusion`. What is not like that is passed over.
    """
    if not path.exists():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise UserError("is not a readable JSON file", file=path, remedy="fuse again", detail=str(error)) from error
    entries = content.get("annotators") if isinstance(content, dict) else None
    if isinstance(entries, dict):
        entries = [{"name": name, **entry} for name, entry in entries.items() if isinstance(entry, dict)]
    found = {}
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("confusion"), list):
            name = str(entry.get("annotator", entry.get("name")))
            found[name] = _matrix(entry["confusion"], classes, name, path)
    return found


def _matrix(values: list[Any], classes: int, name: str, path: Path) -> NDArray[np.float32]:
    try:
        matrix = np.array(values, dtype=np.float32)
    except (TypeError, ValueError):
        matrix = np.empty(0, dtype=np.float32)
    if matrix.shape != (classes, classes) or not np.isfinite(matrix).all():
        raise UserError(f"has a confusion matrix of {name} that is not {classes} x {classes} numbers", file=path)
    return matrix
