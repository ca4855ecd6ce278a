"""Any image with a known truth becomes a case for simulated annotators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Case, read_image
from NoisyLabelSegLib.cases.file_kinds import plain_stem
from NoisyLabelSegLib.cases.import_plan import distinct, usable_name
from NoisyLabelSegLib.cases.label_values import count_classes, is_mask_of_255
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.simulation.recipe import MadeCase, Phantom, Recipe


def real_scan_recipe(
    images: Sequence[Sequence[str | Path]], truths: Sequence[str | Path], classes: Sequence[str] = ()
) -> Recipe:
    """Each case is a list of channel files and a truth; without class names the labels of the truths count them."""
    if not images or len(images) != len(truths):
        raise UserError(
            f"{len(images)} images and {len(truths)} truths were given",
            remedy="give one --truth for every --image, in the same order",
        )
    files = [[Path(channel) for channel in channels] for channels in images]
    names = tuple(classes) or count_classes([Path(truth) for truth in truths])
    ids = distinct(usable_name(plain_stem(channels[0]), "case") for channels in files)
    scans = zip(ids, files, map(Path, truths), strict=True)
    made = (_made_case(id, channels, truth, len(names)) for id, channels, truth in scans)
    return Recipe("annotators", names, "paper", len(files), made)


def _made_case(id: str, files: Sequence[Path], truth: Path, classes: int) -> MadeCase:
    advice = "resample it onto the image first, with nearest neighbor for labels"
    case = Case(id, tuple(files), truth_source=truth, off_grid=advice)
    case.image()  # refuses channels that do not fit together
    channels = list(_channels(files))
    keys = distinct(name for name, _ in channels)
    tissue = _tissue(channels[0][1])
    phantom = Phantom(dict(zip(keys, (array for _, array in channels), strict=True)), _truth(case, classes), tissue)
    return MadeCase(id, phantom, case.geometry)


def _channels(files: Sequence[Path]) -> Iterator[tuple[str, NDArray[Any]]]:
    for file in files:
        for channel in read_image(file).channels:
            yield usable_name(f"image_{plain_stem(file)}", "image"), channel


def _truth(case: Case, classes: int) -> NDArray[np.uint8]:
    truth, file = case.truth(), case.truth_source
    place = file if isinstance(file, Path) else None
    if truth is None or not truth.any():
        raise UserError("has no labels, so nobody can err on it", file=place, remedy="give another truth")
    if classes == 2 and is_mask_of_255(truth):
        truth = truth // 255
    if int(truth.max()) >= classes:
        raise UserError(f"has the label {truth.max()}, but only {classes} classes are named", file=place)
    return truth


def _tissue(image: NDArray[Any]) -> NDArray[np.bool_]:
    """Where the image is not as dark as its background."""
    dark, bright = np.percentile(image, [1, 99])
    return np.asarray(image > dark + 0.08 * (bright - dark))
