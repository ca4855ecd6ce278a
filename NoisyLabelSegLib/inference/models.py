"""Finds model packages and says what each is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.networks.package import ModelCard, read_card
from NoisyLabelSegLib.resources import resource_path

ENDING = ".nlseg"


@dataclass(frozen=True)
class Listed:
    """A package and its card, or the sentence that says why it cannot be used."""

    path: Path
    card: ModelCard | None
    problem: str = ""


def list_models(places: Sequence[str | Path] = ()) -> list[Listed]:
    """The packages at these paths or below these folders; without any, those that come with the program and here."""
    found: list[Listed] = []
    for path in _packages([Path(place) for place in places] or _usual_places()):
        try:
            found.append(Listed(path, read_card(path)))
        except UserError as error:
            found.append(Listed(path, None, error.sentence))
    return found


def _packages(places: Sequence[Path]) -> Iterator[Path]:
    for place in places:
        if place.is_dir():
            yield from sorted(path for path in place.rglob(f"*{ENDING}") if path.is_file())
        elif place.exists():
            yield place
        else:
            raise UserError("does not exist", file=place, remedy="give a package or a folder that holds some")


def _usual_places() -> list[Path]:
    try:
        return [resource_path("models"), Path()]
    except FileNotFoundError:  # a copy without the demo model
        return [Path()]
