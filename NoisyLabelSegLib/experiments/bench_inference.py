"""`bench inference`: predicting a volume against the bare passes of the same network over the same slices."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.experiments.measure import compare, peak_bytes
from NoisyLabelSegLib.inference.predictor import PIXELS_AT_ONCE, Predictor
from NoisyLabelSegLib.networks import Architecture, CoupledNetwork

SUMMARY = "Predicting 256 x 256 x 100 voxels, truth alone and with all annotators, against bare forward passes."

SLICES, EDGE, ANNOTATORS = 100, 256, 5


def run(terminal: Terminal, options: argparse.Namespace) -> dict[str, Any]:
    torch.set_num_threads(1)  # one thread: steadier ratios, and forked measurements stay safe
    torch.manual_seed(0)
    network = CoupledNetwork(Architecture(2, 1, 2, ANNOTATORS)).eval()
    wanted = {"truth alone": False, f"{ANNOTATORS} annotators and matrices": True}
    results = {name: _measured(network, options, annotators=asked) for name, asked in wanted.items()}
    columns = ["what", "time / bare passes", "working memory (MB)", "the same for 25 slices (MB)"]
    rows = [[name, *(f"{value:.3g}" for value in figures.values())] for name, figures in results.items()]
    terminal.table(f"A volume of {EDGE} x {EDGE} x {SLICES}, one thread", columns, rows)
    return results


def _measured(network: CoupledNetwork, options: argparse.Namespace, *, annotators: bool) -> dict[str, float]:
    def predict() -> None:
        _predict(network, SLICES, annotators=annotators)

    many, few = peak_bytes(predict), peak_bytes(lambda: _predict(network, 25, annotators=annotators))
    times = compare(predict, lambda: _bare(network, SLICES), repeats=min(options.repeats, 3), warm_up=False)
    return {
        "time": times.ours_seconds / times.rival_seconds,
        "megabytes": many / 2**20,
        "megabytesFor25Slices": few / 2**20,
    }


def _predict(network: CoupledNetwork, slices: int, *, annotators: bool) -> None:
    for piece in Predictor(network).pieces(_volume(slices), labels=annotators, confusion=annotators):
        del piece  # the working memory is measured, not the result that the caller keeps


@torch.inference_mode()
def _bare(network: CoupledNetwork, slices: int) -> None:
    volume = torch.from_numpy(np.ascontiguousarray(_volume(slices))).movedim(1, 0)
    for batch in torch.split(volume, PIXELS_AT_ONCE // EDGE**2):
        network(batch)


def _volume(slices: int) -> NDArray[np.float32]:
    """(1, N, H, W); all slices share one piece of memory, so that the input does not count."""
    plane = np.random.default_rng(0).normal(size=(1, 1, EDGE, EDGE)).astype(np.float32)
    return np.broadcast_to(plane, (1, slices, EDGE, EDGE))
