"""Where the files under Resources/ are: beside the library, in the source tree and in an installed extension alike."""

from __future__ import annotations

from pathlib import Path


def resource_path(name: str) -> Path:
    """The path of `Resources/<name>`; a missing resource is a broken installation and raises FileNotFoundError."""
    path = Path(__file__).resolve().parent.parent / "Resources" / name
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: this copy of NoisyLabelSeg is incomplete")
    return path


def preset_names() -> list[str]:
    """The settings of trainings that come with the program, by name; here, because to ask the training loads torch."""
    return sorted(path.stem for path in resource_path("presets").glob("*.json"))
