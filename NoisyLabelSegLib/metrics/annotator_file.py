"""Confusion matrices that hold for a whole case or study, from the `annotators.json` that fusion writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.errors import UserError


def read_matrices(path: Path, classes: int, case: str | None = None) -> dict[str, NDArray[np.float32]]:
    """Annotator to (L, L) float32, columns summing to 1; empty where the file does not exist or holds no matrices.

    Read leniently: annotators as an object or a list, each with a matrix under `confusion`, also below the case's id.
    """
    if not path.exists():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise UserError("is not a readable JSON file", file=path, remedy="fuse again", detail=str(error)) from error
    if case is not None and isinstance(content, dict) and isinstance(content.get(case), (dict, list)):
        content = content[case]
    found = {}
    for name, entry in _entries(content):
        matrix = entry.get("confusion") if isinstance(entry, dict) else entry
        if isinstance(name, str) and isinstance(matrix, list):
            found[name] = _matrix(matrix, classes, name, path)
    return found


def _entries(content: Any) -> list[tuple[Any, Any]]:
    if isinstance(content, dict) and "annotators" in content:
        names, matrices = content["annotators"], content.get("confusion")
        if isinstance(names, list) and isinstance(matrices, list) and len(names) == len(matrices):
            return list(zip(names, matrices, strict=True))
        content = names
    if isinstance(content, dict):
        return list(content.items())
    if isinstance(content, list):
        return [(entry.get("name"), entry) for entry in content if isinstance(entry, dict)]
    return []


def _matrix(values: list[Any], classes: int, name: str, path: Path) -> NDArray[np.float32]:
    try:
        matrix = np.array(values, dtype=np.float32)
    except (TypeError, ValueError):
        matrix = np.empty(0, dtype=np.float32)
    if matrix.shape != (classes, classes) or not np.isfinite(matrix).all():
        raise UserError(f"has a confusion matrix of {name} that is not {classes} x {classes} numbers", file=path)
    return matrix
