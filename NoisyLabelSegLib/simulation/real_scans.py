"""Any image with a known truth becomes a case for simulated annotators."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Case, read_image
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.simulation.phantom import Phantom
from NoisyLabelSegLib.simulation.recipe import MadeCase, Recipe


def real_scan_recipe(
    images: Sequence[Sequence[str | Path]], truths: Sequence[str | Path], classes: Sequence[str] = ()
) -> Recipe:
    """Each case is a list of channel files and a truth; without class names the labels of the truths count them."""
    if not images or len(images) != len(truths):
        raise UserError(
            f"{len(images)} images and {len(truths)} truths were given",
            remedy="give one --truth for every --image, in the same order",
        )
    names = [_stem(Path(channels[0])) for channels in images]
    ids = names if len(set(names)) == len(names) else [f"{index:03d}_{name}" for index, name in enumerate(names)]
    cases = [
        Case(id, tuple(Path(channel) for channel in channels), truth_source=Path(truth))
        for id, channels, truth in zip(ids, images, truths, strict=True)
    ]
    return Recipe("annotators", _class_names(cases, classes), "paper", len(cases), _made(cases))


def _made(cases: Sequence[Case]) -> Iterator[MadeCase]:
    for case in cases:
        case.image()  # refuses channels that do not fit together
        channels: dict[str, NDArray[Any]] = {}
        for source in case.images:
            if isinstance(source, Path):
                for channel in read_image(source).channels:
                    channels[_channel_name(f"image_{_stem(source)}", channels)] = channel
        first = next(iter(channels.values()))
        yield MadeCase(case.id, Phantom(channels, _truth(case), _tissue(first)), case.geometry)


def _channel_name(stem: str, taken: Container[str]) -> str:
    """The file's own name, unless another file of the case has it."""
    names = chain([stem], (f"{stem}_{number}" for number in count(2)))
    return next(name for name in names if name not in taken)


def _truth(case: Case) -> NDArray[np.uint8]:
    truth = case.truth()
    if truth is None or not truth.any():
        raise UserError("has no labels, so nobody can err on it", file=_file(case), remedy="give another truth")
    return truth


def _file(case: Case) -> Path | None:
    return case.truth_source if isinstance(case.truth_source, Path) else None


def _tissue(image: NDArray[Any]) -> NDArray[np.bool_]:
    """Where the image is not as dark as its background."""
    dark, bright = np.percentile(image, [1, 99])
    return np.asarray(image > dark + 0.08 * (bright - dark))


def _class_names(cases: Sequence[Case], given: Sequence[str]) -> tuple[str, ...]:
    highest = max(int(_truth(case).max()) for case in cases)
    if not given:
        return ("background", *(["object"] if highest == 1 else [f"class {index}" for index in range(1, highest + 1)]))
    if len(given) <= highest:
        raise UserError(f"The truth has the label {highest}, but only {len(given)} classes are named")
    return tuple(given)


def _stem(path: Path) -> str:
    name = path.name
    for ending in (".seg.nrrd", ".nii.gz"):
        if name.lower().endswith(ending):
            return name[: -len(ending)]
    return path.stem or "image"
