"""`bench fusion`: our fusion against SimpleITK on the generated cases."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import SimpleITK as sitk
from numpy.typing import NDArray

from benchmarks.fusion_cases import GeneratedCase, generate
from benchmarks.measure import Comparison, compare, peak_bytes, seconds
from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.fusion import Fusion, Votes, fuse

SUMMARY = "Label fusion against SimpleITK: speed, memory, agreement."

_MOST_STAPLE_REPEATS = 3  # SimpleITK takes up to a minute for one
_OUR_TURNS = 5  # per repeat: ours take milliseconds
_REFUSING_TURNS = 4  # per repeat: milliseconds need more turns for a steady median


def run(terminal: Terminal, options: argparse.Namespace) -> dict[str, Any]:
    results = {}
    for name in ("a", "b", "c", "s"):
        terminal.say(f"Case {name}: generating and measuring ...")
        results[name] = _measure(generate(name), options.repeats)
    figures = list(dict.fromkeys(figure for result in results.values() for figure in result))
    rows = [[figure, *(_text(results[name].get(figure)) for name in results)] for figure in figures]
    terminal.table("Fusion against SimpleITK", ["figure", *results], rows)
    return results


def _measure(case: GeneratedCase, repeats: int) -> dict[str, Any]:
    images = [sitk.GetImageFromArray(labels) for labels in case.labels]
    ours = _as_itk(case)
    rival = _Rival(images, case.classes)
    result: dict[str, Any] = {
        "foreground share": case.foreground_share,
        "mean annotator Dice": case.mean_annotator_dice,
        **rival.agreement(ours),
    }
    repeats_staple = min(repeats, _MOST_STAPLE_REPEATS)
    vote = compare(
        lambda: fuse(case.labels, "majority").labels,
        lambda: sitk.LabelVoting(images, 0),
        repeats=_OUR_TURNS * repeats,
        figure=min,
    )
    # Neither our fusion nor SimpleITK's STAPLE uses a second thread.
    staple_seconds = min(seconds(rival.output, time.process_time) for _ in range(repeats_staple))
    same_output = _best(lambda: rival.same_output(_as_itk(case)), repeats)
    staple = Comparison(same_output, staple_seconds)
    reading = _best(lambda: [labels.max() for labels in case.labels], repeats)
    labels_as_itk = _best(lambda: _as_itk(case).labels, repeats)
    default = _best(lambda: fuse(case.labels).labels, repeats)
    ours_alone = _best(lambda: fuse(case.labels, "staple").labels, repeats)
    result |= {
        "STAPLE as ITK, the same output, times faster": staple.times_faster,
        "STAPLE as ITK, the same output, seconds": staple.ours_seconds,
        "STAPLE as ITK, the same output / reading the inputs once": staple.ours_seconds / reading,
        "STAPLE as ITK, labels alone, times faster": staple.rival_seconds / labels_as_itk,
        "default method, labels alone, times faster than SimpleITK STAPLE": staple.rival_seconds / default,
        "our STAPLE, labels alone, times faster than SimpleITK STAPLE": staple.rival_seconds / ours_alone,
        "default method, labels alone / reading the inputs once": default / reading,
        "majority, times faster than LabelVoting": vote.times_faster,
    }
    return result | _refusing(case, repeats) | _special(case, images, staple, repeats)


def _refusing(case: GeneratedCase, repeats: int) -> dict[str, float]:
    """Unticking the last annotator: packed votes and the image on the screen are there already.

    A first fusion comes before every turn, so that nothing of the turn before is left in the processor's cache.
    """
    votes = Votes(case.labels, classes=case.classes)
    before = votes.fuse()
    screen = before.labels.copy()
    rest = range(len(case.labels) - 1)
    first, again = [], []
    for _ in range(repeats * _REFUSING_TURNS):
        screen[...] = before.labels
        first.append(seconds(lambda: fuse(case.labels).labels))
        again.append(seconds(lambda: votes.fuse(annotators=rest).rewrite_labels(screen, before)))
    return {"re-fusing without one annotator / first fusion": statistics.median(again) / statistics.median(first)}


def _special(case: GeneratedCase, images: list[Any], staple: Comparison, repeats: int) -> dict[str, float]:
    if case.name == "b":
        rival = _Rival(images, case.classes)
        ours = peak_bytes(lambda: rival.same_output(_as_itk(case)))
        return {"STAPLE as ITK, the same output, peak memory / SimpleITK's": ours / peak_bytes(rival.output)}
    if case.name == "s":
        spatial = _best(lambda: fuse(case.labels, "spatial-staple").labels, repeats)
        return {
            "Spatial STAPLE, seconds": spatial,
            "Spatial STAPLE, times faster than SimpleITK STAPLE": staple.rival_seconds / spatial,
        }
    return {}


def _as_itk(case: GeneratedCase) -> Fusion:
    return fuse(case.labels, "staple", compatible="itk", classes=case.classes)


class _Rival:
    """SimpleITK's STAPLE for two classes, which gives a map of probabilities; MultiLabelSTAPLE for more: labels."""

    def __init__(self, images: list[Any], classes: int) -> None:
        self._images, self._classes = images, classes

    def output(self) -> Any:
        return sitk.MultiLabelSTAPLE(self._images) if self._classes > 2 else sitk.STAPLE(self._images)

    def same_output(self, ours: Fusion) -> NDArray[Any]:
        """What `output` gives, from our fusion: the labels, or for two classes the foreground's probability."""
        return ours.labels if self._classes > 2 else ours.probability(1)

    def agreement(self, ours: Fusion) -> dict[str, float]:
        """How many labels differ, and by how much matrices and (two classes) probabilities do at most."""
        if self._classes > 2:
            many = sitk.MultiLabelSTAPLEImageFilter()
            labels = sitk.GetArrayFromImage(many.Execute(self._images))
            size = (self._classes + 1, self._classes)
            matrices = [np.reshape(many.GetConfusionMatrix(i), size)[:-1] for i in range(len(self._images))]
            return {
                "labels that differ": int(np.count_nonzero(labels != ours.labels)),
                "largest difference of a matrix entry": float(np.abs(ours.confusion - matrices).max()),
            }
        two = sitk.STAPLEImageFilter()
        probability = sitk.GetArrayFromImage(two.Execute(self._images))
        rates = np.stack([two.GetSpecificity(), two.GetSensitivity()], axis=1)
        return {
            "labels that differ": int(np.count_nonzero((probability > 0.5) != ours.labels)),
            "largest difference of a matrix entry": float(np.abs(np.einsum("rii->ri", ours.confusion) - rates).max()),
            "largest difference of a probability": float(np.abs(ours.probability(1) - probability).max()),
        }


def _best(function: Callable[[], Any], repeats: int) -> float:
    """The least processor time of all turns."""
    return min(seconds(function, time.process_time) for _ in range(_OUR_TURNS * repeats))


def _text(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.0f}" if isinstance(value, int) or value >= 100 else f"{value:.3g}"
