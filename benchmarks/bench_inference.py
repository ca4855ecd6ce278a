"""`bench inference`: predicting a volume with default options against the bare passes of the same network over it."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks.measure import rising_peaks
from NoisyLabelSegLib.cases import Case, Geometry, Image
from NoisyLabelSegLib.cases.architecture import Architecture
from NoisyLabelSegLib.cases.model_card import ModelCard, shipped_models
from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.inference import Model, PredictionOutputs
from NoisyLabelSegLib.inference.predictor import Predictor
from NoisyLabelSegLib.networks import SegmentationNetwork
from NoisyLabelSegLib.networks.package import load_package
from NoisyLabelSegLib.networks.registry import build_network
from NoisyLabelSegLib.progress import steps
from NoisyLabelSegLib.training.preprocessing import Preprocessing
from NoisyLabelSegLib.training.settings import preset

SUMMARY = "Predicting 256 x 256 x 100 voxels with default options against bare forward passes, one slice at a time."

SLICES, EDGE, ANNOTATORS = 100, 256, 5
PART = 10
"""Slices that are timed together: the parts of a volume take turns, so that a busy machine disturbs all alike."""

KINDS = {
    "truth": PredictionOutputs(),
    "all annotators": PredictionOutputs(annotators=True),
}
WANTED = {"truth": 1.2, "all annotators": 1.5}


def run(terminal: Terminal, options: argparse.Namespace) -> dict[str, Any]:
    del options  # every part of the volume is a repetition
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # a process that has worked with several threads cannot be forked
    models = _models()
    # Memory first: a child of a process that has predicted already finds memory to use again, and seems to need none.
    peaks = {
        name: rising_peaks(partial(_pieces, network, threads))
        for name, (network, _) in steps(list(models.items()), "memory", terminal.progress)
    }
    torch.set_num_threads(threads)
    results, rows = {}, []
    for name, (network, card) in models.items():
        seconds = _seconds(network, Model(network, card, device="cpu"), terminal)
        results[name] = {"megabytes": peaks[name][-1] / 2**20, "megabytesAfterHalf": peaks[name][len(peaks[name]) // 2]}
        results[name]["megabytesAfterHalf"] /= 2**20
        for kind, wanted in WANTED.items():
            results[name][kind] = sum(seconds[kind]) / sum(seconds["bare"])
            memory = f"{results[name]['megabytesAfterHalf']:.0f}, {results[name]['megabytes']:.0f}"
            rows.append([name, kind, f"{results[name][kind]:.2f}", f"{wanted}", memory])
    terminal.table(
        f"A volume of {EDGE} x {EDGE} x {SLICES}, threads: {threads}",
        ["model", "what", "time / bare", "wanted, at most", "MB after 50 slices, 100"],
        rows,
    )
    return results


def _models() -> dict[str, tuple[SegmentationNetwork, ModelCard]]:
    """The preset `default` with random weights, and the packages that come with the program."""
    torch.manual_seed(0)
    settings = preset("default")
    architecture = Architecture(2, 1, 2, ANNOTATORS, widths=settings.widths)
    names = tuple(f"annotator{number}" for number in range(ANNOTATORS))
    card = ModelCard(architecture, ("background", "object"), names, Preprocessing.of(settings).to_json())
    shipped = {path.stem: load_package(path) for path in shipped_models()}
    return {"preset default": (build_network(architecture).eval(), card), **shipped}


def _seconds(network: SegmentationNetwork, model: Model, terminal: Terminal) -> dict[str, list[float]]:
    """What every part of the volume took, bare and by kind of output; results are made and left to nobody."""
    volume = np.ascontiguousarray(_volume()[0, :PART])
    case = Case("volume", (Image(volume, Geometry.plain(volume.shape)),))
    work: dict[str, Callable[[], None]] = {"bare": partial(_bare, network, volume)}
    work |= {kind: partial(_predict, model, case, outputs) for kind, outputs in KINDS.items()}
    taken: dict[str, list[float]] = {name: [] for name in work}
    work["bare"]()  # the first pass of all is slower
    for _ in steps(range(SLICES // PART), "time", terminal.progress):
        for name, do in work.items():
            start = time.perf_counter()
            do()
            taken[name].append(time.perf_counter() - start)
    return taken


@torch.inference_mode()
def _bare(network: SegmentationNetwork, volume: NDArray[np.float32]) -> None:
    for plane in torch.from_numpy(volume):
        network(plane[None, None])


def _predict(model: Model, case: Case, outputs: PredictionOutputs) -> None:
    with model.run(case, outputs) as found:
        _ = found.truth
        for annotator in found.annotators():
            annotator.labels()


def _pieces(network: SegmentationNetwork, threads: int) -> Iterator[None]:
    """Predicts the volume piece by piece, with annotators, so that the working memory alone counts."""
    torch.set_num_threads(threads)
    for piece in Predictor(network).pieces(_volume(), labels=True, confusion=True):
        del piece
        yield


def _volume() -> NDArray[np.float32]:
    """(1, N, H, W); all slices share one piece of memory, so that the input does not count."""
    plane = np.random.default_rng(0).normal(size=(1, 1, EDGE, EDGE)).astype(np.float32)
    return np.broadcast_to(plane, (1, SLICES, EDGE, EDGE))
