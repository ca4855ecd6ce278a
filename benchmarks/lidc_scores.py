"""Scores of a nodule model on the test patients of the LIDC slices, beside the readers' agreement with each other."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.lidc_nodules import SLOTS, NoduleSlices
from NoisyLabelSegLib.cases import Case, Geometry, Image
from NoisyLabelSegLib.cases.estimates import Estimate
from NoisyLabelSegLib.inference import Model, PredictionOutputs
from NoisyLabelSegLib.inference.draws import Draws
from NoisyLabelSegLib.metrics import crps_volume, dice, dice_match, dice_max, dice_soft, ged_iou, hm_iou
from NoisyLabelSegLib.metrics.surfaces import Shape
from NoisyLabelSegLib.progress import Report, steps

SAMPLES = 16
SIZES = (50, 150)
"""Mean area of the four outlines in pixels at which small, middle and large slices part."""

BINS = 10
MIDDLE = slice(3, 7)
"""The bins of predicted shares of readers from 0.3 to 0.7, where they disagree."""


@dataclass(frozen=True)
class Scored:
    """One slice: the outline's Dice to each reader, Dice of pairs of readers, what samples score, calibration sums."""

    to_readers: list[float]
    between_readers: list[float]
    surface_to_readers: list[float]
    surface_between: list[float]
    consensus: float
    single: float
    samples: dict[str, float]
    area: float
    everybody: bool
    bins: NDArray[np.float64]


def scores(model: Model, slices: NoduleSlices, report: Report) -> dict[str, Any]:
    """Everything that the card says; Dice of an empty and a non-empty mask is 0, of two empty ones it is left out."""
    scored = list(_scored(model, slices, report))
    everybody = [item for item in scored if item.everybody]
    low, high = SIZES
    by_size = {
        f"below {low} pixels": [item for item in everybody if item.area < low],
        f"{low} to {high} pixels": [item for item in everybody if low <= item.area < high],
        f"{high} pixels or more": [item for item in everybody if item.area >= high],
    }
    voxels, predicted, marked = np.sum([item.bins for item in scored], axis=0)
    return {
        "slices": len(scored),
        "allFourMasks": {**_part(everybody), "surfaceDice": _surface(everybody)},
        "emptyMasksCountZero": _part(scored),
        "bySize": {name: _part(part) for name, part in by_size.items()},
        "samples": SAMPLES,
        "shareOfReadersECE": float(np.abs(predicted - marked).sum() / voxels.sum()),
        "shareOfReadersMiddle": {"predicted": _middle(predicted, voxels), "marked": _middle(marked, voxels)},
        "missed": sum(float(np.mean(item.to_readers)) < 0.1 for item in everybody),
    }


def _part(scored: list[Scored]) -> dict[str, float]:
    kinds = scored[0].samples if scored else {}
    return {
        "slices": len(scored),
        "diceToReaders": _mean([item.to_readers for item in scored]),
        "diceBetweenReaders": _mean([item.between_readers for item in scored]),
        "diceToConsensus": _mean([[item.consensus] for item in scored]),
        **{name: _mean([[item.samples[name]] for item in scored]) for name in kinds},
        "ged_iou_of_one_outline": _mean([[item.single] for item in scored]),
    }


def _surface(scored: list[Scored]) -> dict[str, float]:
    return {
        "toReaders": _mean([item.surface_to_readers for item in scored]),
        "betweenReaders": _mean([item.surface_between for item in scored]),
    }


def _mean(values: list[list[float]]) -> float:
    known = [value for each in values for value in each if not np.isnan(value)]
    return float(np.mean(known)) if known else float("nan")


def _middle(sums: NDArray[np.float64], voxels: NDArray[np.float64]) -> float:
    return float(sums[MIDDLE].sum() / max(voxels[MIDDLE].sum(), 1))


def _scored(model: Model, slices: NoduleSlices, report: Report) -> Iterator[Scored]:
    geometry = Geometry.plain(slices.image.shape[1:])
    outputs = PredictionOutputs(confusion=model.has_annotators)
    for number in steps(range(len(slices)), "score", report):
        found = model.predict(Image(slices.image[number], geometry), outputs=outputs)
        assert found.probabilities is not None
        p = found.probabilities[1]
        outline = (p > p.max() / 2).astype(np.uint8)  # somebody has said that there is a nodule
        real = list(slices.masks[number])
        yield Scored(
            [_dice(outline, mask) for mask in real],
            [_dice(one, other) for one, other in itertools.combinations(real, 2)],
            [surface_dice(outline, mask) for mask in real if mask.any()],
            [surface_dice(one, other) for one, other in itertools.combinations(real, 2) if one.any() and other.any()],
            _dice(outline, (np.sum(real, axis=0) >= 2).astype(np.uint8)),
            ged_iou([found.truth], real, 2),
            _sample_scores(_samples(model, slices.image[number], found, number), real),
            float(np.mean(real, axis=0).sum()),
            all(mask.any() for mask in real),
            _bins(_share(found.confusion, found.probabilities), np.mean(real, axis=0)),
        )


def surface_dice(one: NDArray[Any], other: NDArray[Any]) -> float:
    """The share of both borders that lies within one pixel of the other border; 0 where one mask is empty."""
    if not (one.any() and other.any()):
        return 0.0
    first, second = (Shape(mask, (1.0, 1.0)) for mask in (one, other))
    near = [first.distances(second.border_voxels) <= 1, second.distances(first.border_voxels) <= 1]
    return float(np.concatenate(near).mean())


def _dice(one: NDArray[Any], other: NDArray[Any]) -> float:
    return dice(one, other, 2) if one.any() or other.any() else float("nan")


def _share(confusion: Any, probabilities: NDArray[np.float32]) -> NDArray[Any]:
    """The predicted share of readers who mark a pixel; p where the model knows no readers."""
    each = [(matrices[1] * probabilities).sum(axis=0) for matrices in confusion.values()]
    return np.asarray(np.mean(each, axis=0) if each else probabilities[1])


def _bins(predicted: NDArray[Any], marked: NDArray[Any]) -> NDArray[np.float64]:
    place = np.clip((predicted * BINS).astype(int), 0, BINS - 1).ravel()
    weights = (np.ones(place.size), predicted.ravel(), marked.ravel())
    return np.stack([np.bincount(place, weights=weight, minlength=BINS) for weight in weights])


def _samples(model: Model, image: NDArray[Any], found: Estimate, seed: int) -> NDArray[np.uint8] | None:
    """Outlines drawn from the network or from the annotator models; None where the model has neither."""
    if model.draws_samples:
        return model.samples(Case("slice", (Image(image, Geometry.plain(image.shape)),)), SAMPLES, seed)
    if not found.confusion or found.probabilities is None:
        return None
    samples = np.empty((SAMPLES, *image.shape), dtype=np.uint8)
    draws = Draws(SAMPLES, SLOTS, seed)
    for name in model.annotators:
        draws.fill(samples, name, found.confusion[name], found.probabilities)
    return samples


def _sample_scores(samples: NDArray[np.uint8] | None, real: list[NDArray[Any]]) -> dict[str, float]:
    if samples is None:
        return {}
    kinds = (ged_iou, hm_iou, dice_soft, dice_max, dice_match)
    found = {kind.__name__: kind(list(samples), real, 2) for kind in kinds}
    return {**found, "crps_volume": crps_volume(list(samples), real)}
