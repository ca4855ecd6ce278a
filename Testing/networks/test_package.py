"""Model packages: there and back, and thirty kinds that are refused with one sentence."""

from __future__ import annotations

import io
import json
import pickle
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save

from NoisyLabelSegLib.cases.model_card import CARD, WEIGHTS, ModelCard, read_card
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.networks import Architecture, CoupledNetwork
from NoisyLabelSegLib.networks.package import load_package, save_package

ARCHITECTURE = Architecture(dimensions=2, channels=1, classes=2, annotators=2, widths=(4, 8))


@pytest.fixture
def package(tmp_path: Path) -> Path:
    torch.manual_seed(0)
    card = ModelCard(ARCHITECTURE, ("background", "disk"), ("ann", "bob"), {"dimensions": 2})
    save_package(tmp_path / "model.nlseg", CoupledNetwork(ARCHITECTURE), card)
    return tmp_path / "model.nlseg"


def parts(package: Path) -> tuple[dict[str, Any], dict[str, torch.Tensor]]:
    network, _ = load_package(package)
    with zipfile.ZipFile(package) as archive:
        return json.loads(archive.read(CARD)), dict(network.state_dict())


def rewrite(package: Path, card: Any, weights: dict[str, torch.Tensor] | bytes, **more: bytes) -> None:
    text = card if isinstance(card, bytes) else json.dumps(card).encode()
    content = weights if isinstance(weights, bytes) else save(weights)
    with zipfile.ZipFile(package, "w") as archive:
        archive.writestr(CARD, text)
        archive.writestr(WEIGHTS, content)
        for name, extra in more.items():
            archive.writestr(name, extra)


def test_a_network_comes_back_as_it_was(package: Path) -> None:
    network, card = load_package(package)
    assert card.annotators == ("ann", "bob")
    assert card.architecture == ARCHITECTURE
    torch.manual_seed(0)
    expected = CoupledNetwork(ARCHITECTURE).state_dict()
    assert all(torch.equal(expected[name], tensor) for name, tensor in network.state_dict().items())
    assert read_card(package) == card


def test_the_same_network_gives_the_same_bytes(package: Path, tmp_path: Path) -> None:
    save_package(tmp_path / "again.nlseg", *load_package(package))
    assert (tmp_path / "again.nlseg").read_bytes() == package.read_bytes()


def test_a_key_of_a_later_version_is_left_alone(package: Path) -> None:
    card, weights = parts(package)
    rewrite(package, {**card, "color": "green"}, weights)
    assert load_package(package)[1].classes == ("background", "disk")


Damage = Callable[[Path], object]


def in_card(**changes: Any) -> Damage:
    def damage(package: Path) -> None:
        card, weights = parts(package)
        changed = {**card, **changes}
        rewrite(package, {name: value for name, value in changed.items() if value is not None}, weights)

    return damage


def in_architecture(**changes: Any) -> Damage:
    def damage(package: Path) -> None:
        card, weights = parts(package)
        rewrite(package, {**card, "architecture": {**card["architecture"], **changes}}, weights)

    return damage


def in_weights(change: Callable[[dict[str, torch.Tensor]], object]) -> Damage:
    def damage(package: Path) -> None:
        card, weights = parts(package)
        weights = {name: tensor.clone() for name, tensor in weights.items()}
        change(weights)
        rewrite(package, card, weights)

    return damage


def weights_as(content: bytes) -> Damage:
    return lambda package: rewrite(package, parts(package)[0], content)


def card_as(content: bytes) -> Damage:
    return lambda package: rewrite(package, content, parts(package)[1])


def with_entry(name: str, content: bytes = b"x") -> Damage:
    return lambda package: rewrite(package, *parts(package), **{name: content})


def truncated(share: float) -> Damage:
    def damage(package: Path) -> None:
        content = package.read_bytes()
        package.write_bytes(content[: int(share * len(content))])

    return damage


def flipped_byte(package: Path) -> None:
    content = bytearray(package.read_bytes())
    content[len(content) // 2] ^= 0xFF
    package.write_bytes(bytes(content))


def zip_bomb(package: Path) -> None:
    card, _ = parts(package)
    with zipfile.ZipFile(package, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(CARD, json.dumps(card))
        archive.writestr(WEIGHTS, bytes(50_000_000))


def without_weights(package: Path) -> None:
    card, _ = parts(package)
    with zipfile.ZipFile(package, "w") as archive:
        archive.writestr(CARD, json.dumps(card))


def card_twice(package: Path) -> None:
    card, weights = parts(package)
    with zipfile.ZipFile(package, "w") as archive:
        archive.writestr(CARD, json.dumps(card))
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr(CARD, json.dumps(card))
        archive.writestr(WEIGHTS, save(weights))


def huge_card(package: Path) -> None:
    card, weights = parts(package)
    rewrite(package, json.dumps({**card, "more": "x" * 5_000_000}).encode(), weights)


def huge_header() -> bytes:
    return struct.pack("<Q", 2**60) + b"{}"


def a_pickle() -> bytes:
    buffer = io.BytesIO()
    torch.save({"weights": torch.zeros(3)}, buffer)
    return buffer.getvalue()


BAD: dict[str, Damage] = {
    "empty file": lambda package: package.write_bytes(b""),
    "text file": lambda package: package.write_text("a model"),
    "truncated early": truncated(0.2),
    "truncated late": truncated(0.95),
    "a byte flipped": flipped_byte,
    "zip bomb": zip_bomb,
    "no weights": without_weights,
    "card twice": card_twice,
    "huge card": huge_card,
    "a script beside": with_entry("run.py"),
    "path leaves the archive": with_entry("../../evil.txt"),
    "absolute path": with_entry("/etc/evil"),
    "weights are a pickle": weights_as(a_pickle()),
    "whole package is a pickle": lambda package: package.write_bytes(pickle.dumps({"a": 1})),
    "weights are empty": weights_as(b""),
    "weights claim a huge header": weights_as(huge_header()),
    "card is not JSON": card_as(b"{"),
    "card is not text": card_as(b"\xff\xfe\x00"),
    "card is a list": card_as(b"[]"),
    "card nests too deeply": card_as(b"[" * 100_000),
    "other version": in_card(format="noisylabelseg-model/99"),
    "no format": in_card(format=None),
    "no architecture": in_card(architecture=None),
    "classes of the wrong type": in_card(classes="background"),
    "classes repeat": in_card(classes=["a", "a"]),
    "one class too many": in_card(classes=["a", "b", "c"]),
    "annotator leaves the folder": in_card(annotators=["../ann", "bob"]),
    "annotator is a number": in_card(annotators=[1, 2]),
    "unknown entry in the architecture": in_architecture(speed=3),
    "negative width": in_architecture(widths=[-4, 8]),
    "gigantic width": in_architecture(widths=[4096] * 8),
    "other widths than the weights": in_architecture(widths=[8, 8]),
    "unknown kind of matrices": in_architecture(confusion="spectral"),
    "unknown trunk": in_architecture(trunk="os.system"),
    "trunk that fetches": in_architecture(trunk="HoVerNet", trunk_arguments={"pretrained_url": "http://example.org"}),
    "a billion residual units": in_architecture(
        trunk="UNet", trunk_arguments={"channels": [4, 8], "strides": [2], "num_res_units": 10**9}
    ),
    "ten million blocks": in_architecture(trunk="SegResNet", trunk_arguments={"blocks_down": [1, 1, 10**7]}),
    "too many layers": in_architecture(
        trunk="UNet", trunk_arguments={"channels": [4, 8], "strides": [2], "num_res_units": 50_000}
    ),
    "a very long list": in_architecture(trunk="SegResNet", trunk_arguments={"blocks_down": [1] * 100_000}),
    "a key twice": lambda package: card_as(b'{"format": 1, ' + json.dumps(parts(package)[0]).encode()[1:])(package),
    "a spacing that is no number": in_card(preprocessing={"spacing": [float("nan"), 1]}),
    "half a character": in_card(license="\ud800"),
    "extra tensor": in_weights(lambda weights: weights.update(extra=torch.zeros(3))),
    "missing tensor": in_weights(lambda weights: weights.pop("truth_head.bias")),
    "wrong shape": in_weights(lambda weights: weights.update({"truth_head.bias": torch.zeros(3)})),
    "wrong type": in_weights(lambda weights: weights.update({"truth_head.bias": torch.zeros(2, dtype=torch.float64)})),
    "NaN weights": in_weights(lambda weights: weights["truth_head.bias"].fill_(float("nan"))),
    "infinite weights": in_weights(lambda weights: weights["truth_head.bias"].fill_(float("inf"))),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_package_is_refused_with_one_sentence(package: Path, kind: str) -> None:
    BAD[kind](package)
    with pytest.raises(UserError) as refusal:
        load_package(package)
    sentence = refusal.value.sentence
    assert "\n" not in sentence
    assert len(sentence) < 600


def test_a_package_that_is_not_there_or_a_folder_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.nlseg", tmp_path):
        with pytest.raises(UserError):
            load_package(path)
