"""How well a trained network and the annotators agree on the labels of held-out cases; stored on the model card."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
import torch

from NoisyLabelSegLib.fusion.label_agreement import LabelAgreement
from NoisyLabelSegLib.metrics.overlap import dice_of_counts, pairwise_counts
from NoisyLabelSegLib.networks import SegmentationNetwork
from NoisyLabelSegLib.training.samples import Samples, epoch_draws
from NoisyLabelSegLib.training.settings import Settings
from NoisyLabelSegLib.training.source import Survey

MOST_SAMPLES = 64
"""Slices or crops looked at, so that the measurement takes seconds."""


@torch.no_grad()
def label_agreement(
    network: SegmentationNetwork, samples: Samples, surveys: list[Survey], settings: Settings, names: Sequence[str]
) -> LabelAgreement | None:
    """The Dice of the network's truth to each annotator's labels and between annotators, mean over cases.

    None where nobody labeled these cases.
    """
    network.eval()
    classes, device = network.architecture.classes, next(network.parameters()).device
    by_case: defaultdict[int, dict[tuple[int, ...], np.ndarray]] = defaultdict(dict)
    for draw in epoch_draws(surveys, settings, epoch=0)[:MOST_SAMPLES]:
        sample = samples[draw]
        image = torch.from_numpy(np.ascontiguousarray(sample.image))[None].to(device)
        truth = network.predict(image, annotators=False)[0][0].argmax(dim=0).cpu().numpy()
        present = [place for place, labels in enumerate(sample.labels) if (labels >= 0).all()]
        if not present:
            continue
        counts = pairwise_counts([truth, *(sample.labels[place] for place in present)], classes)
        sums = by_case[draw.case]
        for first, one in enumerate((-1, *present)):
            for second, other in enumerate(present[first:], start=first + 1):
                sums[one, other] = sums.get((one, other), 0) + counts[first, second]
    dice: defaultdict[tuple[int, ...], list[float]] = defaultdict(list)
    for sums in by_case.values():
        for pair, counts in sums.items():
            dice[pair].append(float(dice_of_counts(counts).mean()))
    return _summarized(dice, names)


def _summarized(dice: Mapping[tuple[int, ...], list[float]], names: Sequence[str]) -> LabelAgreement | None:
    network = {names[other]: float(np.mean(found)) for (one, other), found in dice.items() if one < 0}
    pairs = [value for (one, _), found in dice.items() if one >= 0 for value in found]
    return LabelAgreement(network, float(np.mean(pairs)) if pairs else None) if network else None
