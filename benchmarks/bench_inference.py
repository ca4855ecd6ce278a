"""`bench inference`: predicting a volume against the bare passes of the same network over the same voxels."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks.measure import rising_peaks
from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.inference.predictor import PIXELS_AT_ONCE, Predictor
from NoisyLabelSegLib.networks import Architecture, CoupledNetwork
from NoisyLabelSegLib.progress import steps

SUMMARY = "Predicting 256 x 256 x 100 voxels, truth alone and with all annotators, against bare forward passes."

SLICES, EDGE, ANNOTATORS = 100, 256, 5
BATCH = PIXELS_AT_ONCE // EDGE**2
KINDS = {"truth alone": False, f"{ANNOTATORS} annotators and their matrices": True}
WANTED = {"truth alone": 1.15, f"{ANNOTATORS} annotators and their matrices": 1.5}


def run(terminal: Terminal, options: argparse.Namespace) -> dict[str, Any]:
    del options  # every batch of slices is a repetition
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # a process that has worked with several threads cannot be forked
    torch.manual_seed(0)
    network = CoupledNetwork(Architecture(2, 1, 2, ANNOTATORS)).eval()
    # Memory first: a child of a process that has predicted already finds memory to use again, and seems to need none.
    peaks = {}
    for name, annotators in steps(KINDS.items(), "memory", terminal.progress):
        peaks[name] = rising_peaks(partial(_pieces, network, annotators, threads))
    torch.set_num_threads(threads)
    seconds = _seconds(network, terminal)
    results = {name: _figures(seconds[name], seconds["bare"], peaks[name]) for name in KINDS}
    rows = [[name, *(f"{value:.3f}" for value in results[name].values()), f"{WANTED[name]}"] for name in KINDS]
    terminal.table(
        f"A volume of {EDGE} x {EDGE} x {SLICES} in {len(seconds['bare'])} batches, threads: {threads}; "
        f"bare passes {sum(seconds['bare']):.0f} s",
        ["what", "time / bare", "median batch / bare", "MB after 50 slices", "MB after 100", "time wanted, at most"],
        rows,
    )
    return results


def _figures(ours: list[float], bare: list[float], peaks: list[int]) -> dict[str, float]:
    return {
        "time": sum(ours) / sum(bare),
        "medianTime": float(np.median(ours) / np.median(bare)),
        "megabytesAfterHalf": peaks[len(peaks) // 2] / 2**20,
        "megabytes": peaks[-1] / 2**20,
    }


def _seconds(network: CoupledNetwork, terminal: Terminal) -> dict[str, list[float]]:
    """What every batch of slices took, bare and by kind; they take turns, so that a busy machine disturbs all alike."""
    running: dict[str, Iterator[Any]] = {"bare": _bare(network)}
    running |= {name: _pieces(network, annotators) for name, annotators in KINDS.items()}
    next(_bare(network))  # the first pass of all is slower
    taken: dict[str, list[float]] = {name: [] for name in running}
    for _ in steps(range(SLICES // BATCH), "time", terminal.progress):
        for name, batches in running.items():
            start = time.perf_counter()
            next(batches)
            taken[name].append(time.perf_counter() - start)
    return taken


def _pieces(network: CoupledNetwork, annotators: bool, threads: int | None = None) -> Iterator[None]:
    """Predicts the volume batch by batch; the result is left to nobody, so that the working memory alone counts."""
    if threads is not None:
        torch.set_num_threads(threads)
    for piece in Predictor(network).pieces(_volume(), labels=annotators, confusion=annotators):
        del piece
        yield


@torch.inference_mode()
def _bare(network: CoupledNetwork) -> Iterator[None]:
    volume = torch.from_numpy(np.ascontiguousarray(_volume())).movedim(1, 0)
    for batch in torch.split(volume, BATCH):
        network(batch)
        yield


def _volume() -> NDArray[np.float32]:
    """(1, N, H, W); all slices share one piece of memory, so that the input does not count."""
    plane = np.random.default_rng(0).normal(size=(1, 1, EDGE, EDGE)).astype(np.float32)
    return np.broadcast_to(plane, (1, SLICES, EDGE, EDGE))
