"""Finds how strongly annotators must err for a wanted mean Dice to the truth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.metrics.overlap import dice_of_sizes
from NoisyLabelSegLib.progress import Report, silent, steps
from NoisyLabelSegLib.simulation.annotators import SimulatedAnnotator
from NoisyLabelSegLib.simulation.scan import Labels, Scan

TOLERANCE = 0.02
"""How far from the wanted Dice the result may be; below it the strength counts as found."""

_CLOSE_ENOUGH = 0.002
_MOST_STEPS = 30
_LARGEST_SCALE = 64.0


def solve_each(
    annotators: Sequence[SimulatedAnnotator], scans: Sequence[Scan], seed: int, *, report: Report = silent
) -> tuple[SimulatedAnnotator, ...]:
    """Every annotator with a wanted `dice` gets the strength that reaches it on these scans."""
    return tuple(
        _scaled(annotator, solve_scale([annotator], scans, seed, annotator.dice))
        if annotator.dice is not None and annotator.has_strength
        else annotator
        for annotator in steps(annotators, "find the strengths", report)
    )


def solve_together(
    annotators: Sequence[SimulatedAnnotator], scans: Sequence[Scan], seed: int, dice: float
) -> tuple[SimulatedAnnotator, ...]:
    """All strengths times one factor, so that the mean over all annotators (good and blank ones too) is this Dice."""
    scale = solve_scale(annotators, scans, seed, dice)
    return tuple(_scaled(annotator, scale) for annotator in annotators)


def solve_scale(annotators: Sequence[SimulatedAnnotator], scans: Sequence[Scan], seed: int, dice: float) -> float:
    """The factor for the annotators' strengths at which their mean Dice over the scans is the wanted one."""

    def reached(scale: float) -> float:
        return mean_dice(annotators, scans, seed, scale=scale)

    scale, value = _search(reached, dice)
    if abs(value - dice) > TOLERANCE:
        names = ", ".join(annotator.name for annotator in annotators)
        raise UserError(
            f"A mean Dice of {dice:g} cannot be reached by {names} on these cases; the closest is {value:.3f}",
            remedy="choose another Dice, more cases or another panel",
        )
    return scale


def mean_dice(
    annotators: Sequence[SimulatedAnnotator], scans: Sequence[Scan], seed: int, *, scale: float = 1.0
) -> float:
    """The mean foreground Dice to the truth over annotators and scans."""
    scores = [
        dice_to_truth(annotator.draw(scan, seed, scale=scale), scan) for annotator in annotators for scan in scans
    ]
    return float(np.mean(scores))


def dice_to_truth(labels: Labels, scan: Scan) -> float:
    """The mean Dice over the foreground classes of labels (*shape) to the truth of the scan."""
    drawn, true = (np.bincount(array.reshape(-1), minlength=scan.classes)[1:] for array in (labels, scan.truth))
    both = np.bincount(labels[labels == scan.truth].reshape(-1), minlength=scan.classes)[1:]
    return float(dice_of_sizes(both, drawn, true).mean())


def _search(reached: Callable[[float], float], wanted: float) -> tuple[float, float]:
    """Doubles the scale until the Dice falls below the wanted one, then halves the interval; keeps the closest seen."""
    low, high = 0.0, 1.0
    tried = [(low, reached(low)), (high, reached(high))]
    while tried[-1][1] > wanted and high < _LARGEST_SCALE:
        low, high = high, 2 * high
        tried.append((high, reached(high)))
    for _ in range(_MOST_STEPS):
        best = min(tried, key=lambda pair: abs(pair[1] - wanted))
        if abs(best[1] - wanted) <= _CLOSE_ENOUGH:
            break
        middle = (low + high) / 2
        tried.append((middle, reached(middle)))
        low, high = (middle, high) if tried[-1][1] > wanted else (low, middle)
    return min(tried, key=lambda pair: abs(pair[1] - wanted))


def _scaled(annotator: SimulatedAnnotator, scale: float) -> SimulatedAnnotator:
    if not annotator.has_strength:
        return annotator
    return replace(annotator, strength=annotator.start_strength * scale, dice=None)
