"""LIDC by the conventions of the field: slices of 128 x 128 with four masks, GED with 1 - IoU of 16 and 50 samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from benchmarks.accuracy_protocol import LIDC_EDGE, LIDC_SAMPLES
from benchmarks.lidc_nodules import EDGE, SLOTS, NoduleSlices, read_slices, study_of
from NoisyLabelSegLib.cases import Case, Geometry, Image, Study
from NoisyLabelSegLib.cases.study import LazyCases
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.inference.draws import Draws
from NoisyLabelSegLib.metrics import crps_volume, dice, dice_match, dice_max, dice_soft, ged_iou, hm_iou
from NoisyLabelSegLib.networks.package import load_package
from NoisyLabelSegLib.training.preprocessing import Preprocessing

FOLDER = "lidc-nodules-2d-large"
BINS = 15
MOST_SLICES = 384
"""Slices that are scored, every other one of the 767 of the test patients."""

AT_ONCE = 32
"""Slices in one pass of a network."""

Masks = NDArray[np.uint8]


def nodule_study(labels: str, seed: int, data: Path) -> Study:
    """The training patients; with one label per image the mask of a random reader slot, which may be empty."""
    slices = _read(data, "train").centered(LIDC_EDGE)
    study = study_of({"train": slices})
    if labels == "all":
        return study
    chosen = np.random.default_rng(seed).integers(len(SLOTS), size=len(slices))

    def one(entry: tuple[int, Case]) -> Case:
        slot = SLOTS[chosen[entry[0]]]
        return replace(entry[1], annotations={slot: entry[1].annotations[slot]})

    return replace(study, cases=LazyCases(list(enumerate(study.cases)), one, keep=False))


def score_nodules(package: Path, seed: int, data: Path) -> dict[str, Any]:
    """Means over the scored slices of the test patients, and some figures of every slice for paired differences."""
    slices = _read(data, "test")
    numbers = range(0, len(slices), max(1, len(slices) // MOST_SLICES))
    middle = slices.centered(LIDC_EDGE)
    found = _predicted(package, [middle.image[number] for number in numbers], seed)
    scored = [_slice(each, list(slices.masks[number])) for number, each in zip(numbers, found, strict=True)]
    bins = np.sum([item.pop("bins") for item in scored], axis=0)
    ece = float(np.abs(bins[1] - bins[2]).sum() / bins[0].sum())
    means = {name: float(np.nanmean([item[name] for item in scored])) for name in scored[0]}
    kept = [f"ged_iou_{LIDC_SAMPLES[0]}", "dice_readers"]
    return {**means, "ece": ece, "slices": len(scored), "cases": {k: [item[k] for item in scored] for k in kept}}


class Predicted(NamedTuple):
    """Of one slice: the outline, the expected share of readers who mark a pixel, and samples (N, 128, 128)."""

    outline: Masks
    share: NDArray[np.float32]
    samples: dict[int, Masks]


@torch.no_grad()
def _predicted(package: Path, images: Sequence[Masks], seed: int) -> Iterator[Predicted]:
    """Samples are drawn by the network itself, from its annotators, or, where it knows neither, at levels of p."""
    network, card = load_package(package)
    preprocessing = Preprocessing.from_json(card.preprocessing)
    prepared = [preprocessing.image(Case("slice", (Image(image, Geometry.plain(image.shape)),))) for image in images]
    for start in range(0, len(prepared), AT_ONCE):
        batch = torch.from_numpy(np.concatenate(prepared[start : start + AT_ONCE], axis=1)).movedim(1, 0)
        truth, confusion = network.predict(batch, annotators=network.predicts_annotators)
        own: dict[int, Tensor] = {}
        if network.draws_samples:
            first = seed * 1_000_000 + start * sum(LIDC_SAMPLES)
            for count in LIDC_SAMPLES:
                own[count] = network.samples(batch, range(first, first + count)).argmax(dim=2).to(torch.uint8)
                first += count
        for place in range(len(batch)):
            p = truth[place].numpy()
            fields = None if confusion is None else confusion[place].numpy()
            drawn = {
                count: own[count][:, place].numpy() if own else _drawn(p, fields, count, (seed, start + place))
                for count in LIDC_SAMPLES
            }
            share = p[1] if fields is None else np.einsum("rjhw,jhw->hw", fields[:, 1], p) / len(fields)
            outline = _framed((p[1] > 0.5).astype(np.uint8))
            yield Predicted(outline, _framed(share), {count: _framed(each) for count, each in drawn.items()})


def _drawn(p: NDArray[np.float32], fields: NDArray[np.float32] | None, count: int, seed: tuple[int, int]) -> Masks:
    samples = np.zeros((count, *p.shape[1:]), dtype=np.uint8)
    if fields is None:
        fields = np.broadcast_to(np.eye(2, dtype=np.float32)[None, :, :, None, None], (1, 2, 2, *p.shape[1:]))
    names = SLOTS[: len(fields)]
    draws = Draws(count, names, seed[0] * 10_000 + seed[1])
    for name, field in zip(names, fields, strict=True):
        draws.fill(samples, name, field, p)
    return samples


def _slice(found: Predicted, real: list[Masks]) -> dict[str, Any]:
    result: dict[str, Any] = {"dice_readers": _mean_dice(found.outline, real)}
    for count, masks in found.samples.items():
        samples = list(masks)
        result[f"ged_iou_{count}"] = ged_iou(samples, real, 2)
        result[f"hm_iou_{count}"] = hm_iou(samples, real, 2)
    result |= {kind.__name__: kind(samples, real, 2) for kind in (dice_soft, dice_max, dice_match)}
    result["crps_volume"] = crps_volume(samples, real)
    result["bins"] = _bins(found.share, np.mean(real, axis=0))
    return result


def _read(data: Path, part: str) -> NoduleSlices:
    if not (data / FOLDER).is_dir():
        raise UserError("is not there", file=data / FOLDER, remedy="give the folder that holds it with --data")
    return read_slices(data / FOLDER, part)


def _framed(squares: NDArray[Any]) -> NDArray[Any]:
    """The middle squares (..., h, w) in slices of full size; nothing is predicted around them."""
    low = (EDGE - squares.shape[-1]) // 2
    whole = np.zeros((*squares.shape[:-2], EDGE, EDGE), dtype=squares.dtype)
    whole[..., low : EDGE - low, low : EDGE - low] = squares
    return whole


def _mean_dice(outline: Masks, real: list[Masks]) -> float:
    """Dice to each reader; one empty counts 0, both empty 1."""
    return float(np.mean([dice(outline, mask, 2) for mask in real]))


def _bins(predicted: NDArray[Any], marked: NDArray[Any]) -> NDArray[np.float64]:
    place = np.clip((predicted * BINS).astype(int), 0, BINS - 1).ravel()
    weights = (np.ones(place.size), predicted.ravel(), marked.ravel())
    return np.stack([np.bincount(place, weights=weight, minlength=BINS) for weight in weights])
