"""A network at rest: `*.nlseg`, a zip of `model.json` and `weights.safetensors`. Opening one runs no code.

Everything in a package is checked before it is believed: names, sizes, JSON, tensors against the architecture.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.networks.architecture import Architecture
from NoisyLabelSegLib.networks.coupled import CoupledNetwork
from NoisyLabelSegLib.networks.package_rules import card_problem
from NoisyLabelSegLib.output import output_file

FORMAT = "noisylabelseg-model/1"
CARD, WEIGHTS = "model.json", "weights.safetensors"
LARGEST_CARD = 2**22
LARGEST_WEIGHTS = 2**32


@dataclass(frozen=True)
class ModelCard:
    """What `model.json` says. `preprocessing` and `settings` are the records of `training`, as JSON objects."""

    architecture: Architecture
    classes: tuple[str, ...]
    annotators: tuple[str, ...]
    preprocessing: Mapping[str, Any]
    settings: Mapping[str, Any] = field(default_factory=dict)
    metrics: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    intended_use: str = ""
    license: str = ""

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
        if problem := card_problem(content, FORMAT):
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


def save_package(path: Path, network: CoupledNetwork, card: ModelCard) -> None:
    """Writes the package whole or not at all; the same network gives the same bytes."""
    weights = {name: tensor.detach().cpu().contiguous() for name, tensor in network.state_dict().items()}
    text = json.dumps(card.to_json(), indent=1, ensure_ascii=False, allow_nan=False)
    with output_file(path) as partial, zipfile.ZipFile(partial, "w") as archive:
        for name, content in ((CARD, text.encode()), (WEIGHTS, save(weights))):
            archive.writestr(zipfile.ZipInfo(name), content)


def read_card(path: str | Path) -> ModelCard:
    """What a package says about itself, without its weights."""
    path = Path(path)
    with _opened(path) as archive:
        return _card(archive, path)


def load_package(path: str | Path) -> tuple[CoupledNetwork, ModelCard]:
    """The network, ready to predict, and its card."""
    path = Path(path)
    with _opened(path) as archive:
        card = _card(archive, path)
        network = _without_memory(card.architecture, path)
        expected = network.state_dict()
        size = archive.getinfo(WEIGHTS).file_size
        needed = sum(tensor.numel() * tensor.element_size() for tensor in expected.values())
        if not needed <= size <= needed + LARGEST_CARD:
            raise _refused(path, f"its weights take {size} bytes where its architecture needs {needed}")
        weights = _weights(_content(archive, WEIGHTS, path), expected, path)
    network.load_state_dict(weights, assign=True)
    return network.eval(), card


def _without_memory(architecture: Architecture, path: Path) -> CoupledNetwork:
    """The network with shapes only, so that a claim can be checked before memory is spent on it."""
    try:
        with torch.device("meta"):
            return CoupledNetwork(architecture)
    except UserError as error:
        raise _refused(path, error.problem, error) from error


def _opened(path: Path) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(path)
    except FileNotFoundError as error:
        raise UserError("does not exist", file=path, remedy="check the path") from error
    except OSError as error:
        raise UserError(f"cannot be read ({error.strerror or error})", file=path) from error
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise _refused(path, "it is not a zip file, or damaged", error) from error
    entries = archive.infolist()
    names = sorted(entry.filename for entry in entries)
    if names != [CARD, WEIGHTS]:
        archive.close()
        strange = [name for name in names if name not in (CARD, WEIGHTS)] or ["too few or repeated entries"]
        raise _refused(
            path, f"a package holds {CARD} and {WEIGHTS} and nothing else, but this one has {strange[0][:80]!r}"
        )
    for entry, most in zip(
        sorted(entries, key=lambda entry: entry.filename), (LARGEST_CARD, LARGEST_WEIGHTS), strict=True
    ):
        if entry.file_size > most or entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & 1:
            archive.close()
            raise _refused(path, f"{entry.filename} is compressed, encrypted or far too large")
    return archive


def _content(archive: zipfile.ZipFile, name: str, path: Path) -> bytes:
    try:
        return archive.read(name)
    except (zipfile.BadZipFile, EOFError, OSError, ValueError, NotImplementedError, RuntimeError) as error:
        raise _refused(path, f"{name} is damaged or truncated", error) from error


def _card(archive: zipfile.ZipFile, path: Path) -> ModelCard:
    try:
        return ModelCard.from_json(json.loads(_content(archive, CARD, path).decode("utf-8")))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise _refused(path, f"{CARD} is not JSON text", error) from error
    except (ValueError, TypeError) as error:
        raise _refused(path, str(error), error) from error


def _weights(content: bytes, expected: Mapping[str, Tensor], path: Path) -> dict[str, Tensor]:
    try:
        weights = load(content)
    except (SafetensorError, ValueError, KeyError, TypeError, RuntimeError) as error:
        raise _refused(path, f"{WEIGHTS} is damaged", error) from error
    for name in sorted(set(expected) ^ set(weights)):
        raise _refused(path, f"its weights {'lack' if name in expected else 'have the extra tensor'} {name[:80]!r}")
    for name, tensor in weights.items():
        if tensor.shape != expected[name].shape or tensor.dtype != expected[name].dtype:
            raise _refused(path, f"the tensor {name!r} has another shape or type than its architecture says")
        if not torch.isfinite(tensor).all():
            raise _refused(path, f"the tensor {name!r} holds values that are not numbers")
    return weights


def _refused(path: Path, why: str, error: Exception | None = None) -> UserError:
    return UserError(
        f"is not a model package that can be used: {why}",
        file=path,
        remedy="get it again from where it was made",
        detail="" if error is None else str(error),
    )
