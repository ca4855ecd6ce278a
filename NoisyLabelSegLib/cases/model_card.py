"""Model packages (`*.nlseg`) without their weights: a zip of `model.json`, the card, and `weights.safetensors`.

Opening, checking, reading, listing and describing them, for the panel, the command line and the loader alike. Needs no
PyTorch and runs no code of a package; networks/package.py adds the weights.
"""

from __future__ import annotations

import json
import math
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from NoisyLabelSegLib.cases.architecture import Architecture
from NoisyLabelSegLib.cases.study_rules import annotator_problem
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.json_checks import strict_json
from NoisyLabelSegLib.resources import resource_path
from NoisyLabelSegLib.untrusted import open_regular

FORMAT = "noisylabelseg-model/1"
ENDING = ".nlseg"
CARD, WEIGHTS = "model.json", "weights.safetensors"
LARGEST_CARD = 2**22
LARGEST_WEIGHTS = 2**32
_TYPES: dict[str, type] = {
    "architecture": dict,
    "classes": list,
    "annotators": list,
    "preprocessing": dict,
    "settings": dict,
    "metrics": dict,
    "provenance": dict,
    "intended_use": str,
    "scope": dict,
    "details": dict,
    "license": str,
}
_REQUIRED = ("architecture", "classes", "annotators", "preprocessing")

LARGEST_CROP = 128
"""Edge in pixels up to which a single slice is taken for a crop around one object, whose intensities may be scaled."""


def may_be_crop(shape: Sequence[int]) -> bool:
    """Whether an image of this shape, z, y, x or y, x, is one slice that is small enough for a crop."""
    return max(shape[-2:]) <= LARGEST_CROP and math.prod(shape[:-2]) == 1


@dataclass(frozen=True)
class ModelCard:
    """What `model.json` says. `preprocessing` and `settings` are the records of `training`, as JSON objects.

    `scope` says what the model is for, and cases outside it are refused (inference/scope.py): `modality`, `spacing`
    (least and most mm of a pixel), `object` (for models that outline one at a time) and `edge` (of its square, in
    pixels). `details` are further sections of the card, title to text. Both are empty for models of one's own.
    """

    architecture: Architecture
    classes: tuple[str, ...]
    annotators: tuple[str, ...]
    preprocessing: Mapping[str, Any]
    settings: Mapping[str, Any] = field(default_factory=dict)
    metrics: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    intended_use: str = ""
    license: str = ""
    scope: Mapping[str, Any] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        content = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {
            "format": FORMAT,
            **content,
            "architecture": self.architecture.to_json(),
            "classes": list(self.classes),
            "annotators": list(self.annotators),
        }

    @classmethod
    def from_json(cls, content: Any) -> ModelCard:
        """Raises ValueError, in words."""
        if problem := card_problem(content):
            raise ValueError(problem)
        known = {name: content[name] for name in cls.__dataclass_fields__ if name in content}
        architecture = Architecture.from_json(content["architecture"])
        if architecture.classes != len(content["classes"]) or architecture.annotators != len(content["annotators"]):
            raise ValueError("its architecture does not fit its classes and annotators")
        return cls(
            **{
                **known,
                "architecture": architecture,
                "classes": tuple(content["classes"]),
                "annotators": tuple(content["annotators"]),
            }
        )

    @property
    def study(self) -> str | None:
        """The name of the study that the model was trained on, if the card says."""
        name = self.provenance.get("study")
        return None if name is None else str(name)

    @property
    def cases(self) -> str:
        """How many cases the model was trained on, "?" if the card does not say."""
        return str(self.provenance.get("cases", "?"))

    @property
    def trained_on(self) -> str:
        """The study and its number of cases, such as "lungs, 9 cases"."""
        return f"{self.study or '?'}, {self.cases} {'case' if self.cases == '1' else 'cases'}"

    @property
    def input(self) -> str:
        """The images that the model takes, such as "3 channels, 2D"."""
        channels = self.architecture.channels
        return f"{channels} channel{'s' if channels > 1 else ''}, {self.architecture.dimensions}D"


def card_problem(content: Any) -> str | None:
    """The first thing that is wrong with a card's JSON, or None. Keys this version does not know are left alone."""
    if not isinstance(content, dict):
        return f"{CARD} is not a JSON object"
    if content.get("format") != FORMAT:
        return f"its format is {str(content.get('format'))[:60]!r}, but this version reads {FORMAT}"
    for name in _REQUIRED:
        if name not in content:
            return f"{CARD} has no {name!r}"
    for name, kind in _TYPES.items():
        if name in content and not isinstance(content[name], kind):
            return f"{CARD}'s {name!r} is of the wrong type"
    for name in ("classes", "annotators"):
        if not all(isinstance(item, str) and item.strip() for item in content[name]):
            return f"{CARD}'s {name!r} are not names"
        if len(set(content[name])) < len(content[name]):
            return f"{CARD}'s {name!r} repeat a name"
    for name in content["annotators"]:
        if problem := annotator_problem(name):
            return f"the annotator {name[:60]!r} {problem}"
    return _scope_problem(content.get("scope", {}))


def _scope_problem(scope: Mapping[str, Any]) -> str | None:
    for name in ("modality", "object"):
        if not isinstance(scope.get(name, ""), str):
            return f"{CARD}'s {name!r} of the scope is not a text"
    spacing, edge = scope.get("spacing", [0, 0]), scope.get("edge", 1)
    if not isinstance(spacing, list) or len(spacing) != 2 or not all(_is_number(limit) for limit in spacing):
        return f"{CARD}'s 'spacing' of the scope is not two numbers"
    if not isinstance(edge, int) or isinstance(edge, bool) or edge < 1:
        return f"{CARD}'s 'edge' of the scope is not a number of pixels"
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def read_card(path: str | Path) -> ModelCard:
    """What a package says about itself, without its weights; raises UserError for a file that is no package."""
    path = Path(path)
    with open_package(path) as archive:
        return card_in(archive, path)


def open_package(path: Path) -> zipfile.ZipFile:
    """The zip file, after its names and sizes were checked; raises UserError."""
    open_regular(path).close()
    try:
        archive = zipfile.ZipFile(path)
    except OSError as error:
        raise UserError(f"cannot be read ({error.strerror or error})", file=path) from error
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise refused(path, "it is not a zip file, or damaged", error) from error
    entries = archive.infolist()
    names = sorted(entry.filename for entry in entries)
    if names != [CARD, WEIGHTS]:
        archive.close()
        strange = [name for name in names if name not in (CARD, WEIGHTS)] or ["too few or repeated entries"]
        raise refused(
            path, f"a package holds {CARD} and {WEIGHTS} and nothing else, but this one has {strange[0][:80]!r}"
        )
    for entry, most in zip(
        sorted(entries, key=lambda entry: entry.filename), (LARGEST_CARD, LARGEST_WEIGHTS), strict=True
    ):
        if entry.file_size > most or entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & 1:
            archive.close()
            raise refused(path, f"{entry.filename} is compressed, encrypted or far too large")
    return archive


def content_of(archive: zipfile.ZipFile, name: str, path: Path) -> bytes:
    """The bytes of CARD or WEIGHTS in the opened package at `path`; raises UserError."""
    try:
        return archive.read(name)
    except (zipfile.BadZipFile, EOFError, OSError, ValueError, NotImplementedError, RuntimeError) as error:
        raise refused(path, f"{name} is damaged or truncated", error) from error


def card_in(archive: zipfile.ZipFile, path: Path) -> ModelCard:
    """The card of the opened package at `path`; raises UserError."""
    try:
        return ModelCard.from_json(strict_json(content_of(archive, CARD, path).decode("utf-8")))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise refused(path, f"{CARD} is not JSON text", error) from error
    except (ValueError, TypeError) as error:
        raise refused(path, str(error), error) from error


def refused(path: Path, why: str, error: Exception | None = None) -> UserError:
    """The error of a package that cannot be used."""
    return UserError(
        f"is not a model package that can be used: {why}",
        file=path,
        remedy="get it again from where it was made",
        detail="" if error is None else str(error),
    )


@dataclass(frozen=True)
class Listed:
    """A package and its card, or the sentence that says why it cannot be used."""

    path: Path
    card: ModelCard | None
    problem: str = ""


def list_models(places: Sequence[str | Path] = ()) -> list[Listed]:
    """The packages at these paths or below these folders; without any, those that come with the program and here."""
    found: list[Listed] = []
    for path in (
        _packages([package_named(place) for place in places]) if places else [*shipped_models(), *_packages([Path()])]
    ):
        try:
            found.append(Listed(path, read_card(path)))
        except UserError as error:
            found.append(Listed(path, None, error.sentence))
    return found


def shipped_models() -> list[Path]:
    """The packages that come with the program, in the order of their names, demonstrations last."""
    try:
        return list(_packages([resource_path("models")]))
    except FileNotFoundError:  # a copy without models
        return []


def package_named(word: str | Path) -> Path:
    """The path, or the package that comes with the program and has this name, where there is no such path."""
    path = Path(word)
    found = [] if path.exists() else [item for item in shipped_models() if item.stem == str(word)]
    return found[0] if found else path


def _packages(places: Sequence[Path]) -> Iterator[Path]:
    for place in places:
        if place.is_dir():
            files = (path for path in place.rglob(f"*{ENDING}") if path.is_file())
            found = (path for path in files if not any(part[0] == "." for part in path.relative_to(place).parts))
            yield from sorted(found, key=lambda path: (path.name.startswith("demo-"), path))  # demonstrations last
        elif place.exists():
            yield place
        else:
            raise UserError("does not exist", file=place, remedy="give a package or a folder that holds some")
