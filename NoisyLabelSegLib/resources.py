"""Where the files under Resources/ are, in a clone, in Slicer's installed extension and in an installed wheel."""

from __future__ import annotations

from pathlib import Path

from NoisyLabelSegLib.errors import UserError

_PACKAGE = Path(__file__).resolve().parent
_PLACES = (_PACKAGE / "Resources", _PACKAGE.parent / "Resources")
"""Inside the package in a wheel (see setup.py), beside it in a clone and in Slicer."""


def resource_path(name: str) -> Path:
    """The path of `Resources/<name>`; a missing resource is a broken installation and raises FileNotFoundError."""
    for place in _PLACES:
        if (place / name).exists():
            return place / name
    raise FileNotFoundError(f"Resources/{name} is missing: this copy of NoisyLabelSeg is incomplete")


def repository_path(folder: str, *, needed_by: str) -> Path:
    """The path of a folder of the repository, such as `benchmarks`, that an installed package does not have.

    Raises UserError outside a clone; `needed_by` is the verb that the sentence names.
    """
    path = _PACKAGE.parent / folder
    if not path.is_dir() or not (_PACKAGE.parent / "pyproject.toml").is_file():
        raise UserError(
            f"{needed_by} needs the repository of NoisyLabelSeg, which this installation is not part of",
            remedy="clone the repository, install it with pip install --editable . and run it there",
        )
    return path
