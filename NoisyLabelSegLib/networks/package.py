"""Writes and loads the networks of model packages (`*.nlseg`). Loading one runs no code of the package.

Everything is checked before it is used: names, sizes and JSON by cases/model_card.py, the tensors here, against the
architecture.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor, nn
from torch.nn.modules.module import (
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)

from NoisyLabelSegLib.cases.architecture import Architecture
from NoisyLabelSegLib.cases.model_card import (
    CARD,
    LARGEST_CARD,
    LARGEST_WEIGHTS,
    WEIGHTS,
    ModelCard,
    card_in,
    content_of,
    open_package,
    refused,
)
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.networks.registry import SegmentationNetwork, build_network
from NoisyLabelSegLib.output import output_file

MOST_LAYERS = 20_000
"""Modules of the largest network that is loaded; those of MONAI have some hundreds to a few thousand."""


def save_package(path: Path, network: SegmentationNetwork, card: ModelCard) -> None:
    """Writes the package whole or not at all; the same network gives the same bytes."""
    weights = {name: tensor.detach().cpu().contiguous() for name, tensor in network.state_dict().items()}
    text = json.dumps(card.to_json(), indent=1, ensure_ascii=False, allow_nan=False)
    with output_file(path) as partial, zipfile.ZipFile(partial, "w") as archive:
        for name, content in ((CARD, text.encode()), (WEIGHTS, save(weights))):
            archive.writestr(zipfile.ZipInfo(name), content)


def load_package(path: str | Path) -> tuple[SegmentationNetwork, ModelCard]:
    """The network, ready to predict, and its card."""
    path = Path(path)
    with open_package(path) as archive:
        card = card_in(archive, path)
        network = _without_memory(card.architecture, path)
        expected = network.state_dict()
        size = archive.getinfo(WEIGHTS).file_size
        needed = sum(tensor.numel() * tensor.element_size() for tensor in expected.values())
        if not needed <= size <= needed + LARGEST_CARD:
            raise refused(path, f"its weights take {size} bytes where its architecture needs {needed}")
        weights = _weights(content_of(archive, WEIGHTS, path), expected, path)
    network.load_state_dict(weights, assign=True)
    return network.eval(), card


def _without_memory(architecture: Architecture, path: Path) -> SegmentationNetwork:
    """The network with shapes only, so that a claim can be checked before memory is spent on it."""
    try:
        with torch.device("meta"), _bounded():
            return build_network(architecture)
    except UserError as error:
        raise refused(path, error.problem, error) from error
    except (ValueError, TypeError, RuntimeError, OverflowError) as error:
        raise refused(path, "its network cannot be built", error) from error


@contextmanager
def _bounded() -> Iterator[None]:
    """Stops the construction of a network that has too many layers or numbers to be meant."""
    layers = numbers = 0

    def count_layer(_owner: nn.Module, _name: str, _layer: nn.Module | None) -> None:
        nonlocal layers
        layers += 1
        if layers > MOST_LAYERS:
            raise UserError(f"its network has more than {MOST_LAYERS} layers")

    def count_numbers(_owner: nn.Module, _name: str, tensor: nn.Parameter | None) -> None:
        nonlocal numbers
        numbers += 0 if tensor is None else tensor.numel()
        if numbers > LARGEST_WEIGHTS // 4:
            raise UserError(f"its network has more than {LARGEST_WEIGHTS // 4} numbers")

    hooks = [
        register_module_module_registration_hook(count_layer),
        register_module_parameter_registration_hook(count_numbers),
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def _weights(content: bytes, expected: Mapping[str, Tensor], path: Path) -> dict[str, Tensor]:
    try:
        weights = load(content)
    except (SafetensorError, ValueError, KeyError, TypeError, RuntimeError) as error:
        raise refused(path, f"{WEIGHTS} is damaged", error) from error
    for name in sorted(set(expected) ^ set(weights)):
        raise refused(path, f"its weights {'lack' if name in expected else 'have the extra tensor'} {name[:80]!r}")
    for name, tensor in weights.items():
        if tensor.shape != expected[name].shape or tensor.dtype != expected[name].dtype:
            raise refused(path, f"the tensor {name!r} has another shape or type than its architecture says")
        if not torch.isfinite(tensor).all():
            raise refused(path, f"the tensor {name!r} holds values that are not numbers")
    return weights
