"""What confusion matrices cost over the number of classes: numbers per pixel, operations, and measured time."""

from __future__ import annotations

import time
from collections.abc import Callable

import torch
from matplotlib.figure import Figure

from benchmarks.paper.outcome import Outcome
from benchmarks.paper.trainings import Trainings
from NoisyLabelSegLib.networks.confusion import Confusion, LowRankConfusion, PixelConfusion
from NoisyLabelSegLib.networks.losses import annotator_likelihood, trace

CLASSES = (2, 4, 8, 16, 32, 64)
PIXELS, REPEATS = 64 * 64, 5


def full_numbers(classes: int) -> int:
    """Numbers of a full matrix, at one pixel of one annotator."""
    return classes**2


def low_rank_numbers(classes: int, rank: int = 1) -> int:
    """Numbers of two factors of L x rank."""
    return 2 * classes * rank


def full_operations(classes: int) -> int:
    """Operations of A p as the paper counts them: (2 L - 1) L."""
    return (2 * classes - 1) * classes


def low_rank_operations(classes: int, rank: int = 1) -> int:
    """Operations of B1 (B2^T p) as the paper counts them: 4 L (l - 0.25) - l."""
    return 4 * classes * rank - classes - rank


def identity_operations(classes: int, rank: int = 1) -> int:
    """The same for our d I + B1 B2^T, which also scales p and adds it."""
    return low_rank_operations(classes, rank) + 2 * classes


def seconds(make: Callable[[], Confusion], classes: int) -> float:
    """The shortest time of likelihood, trace and their gradients for one image of PIXELS and one annotator."""
    labels = torch.randint(classes, (1, 1, PIXELS))
    log_truth = torch.randn(1, classes, PIXELS).log_softmax(dim=1)
    known, taken = labels >= 0, []
    for _ in range(REPEATS):
        start = time.perf_counter()
        confusion = make()
        loss = annotator_likelihood(confusion.rows(labels), log_truth, known) + trace(confusion.diagonal(), known)
        loss.backward()  # type: ignore[no-untyped-call]
        taken.append(time.perf_counter() - start)
    return min(taken)


def run(_name: str, _trainings: Trainings) -> Outcome:
    torch.manual_seed(0)
    rows, times = [], []
    for classes in CLASSES:
        full = torch.randn(1, 1, classes, classes, PIXELS, requires_grad=True)
        factors = torch.randn(2, 1, 1, classes, 1, PIXELS, requires_grad=True)

        def whole(full: torch.Tensor = full) -> Confusion:
            return PixelConfusion(full)

        def thin(factors: torch.Tensor = factors) -> Confusion:
            return LowRankConfusion(factors[0], factors[1])

        times.append((seconds(whole, classes), seconds(thin, classes)))
        counts = [full_numbers(classes), low_rank_numbers(classes), full_operations(classes)]
        counts += [low_rank_operations(classes), identity_operations(classes)]
        rows.append([classes, *counts, *(f"{1000 * taken:.2f}" for taken in times[-1])])
    columns = ["classes", "numbers, full", "numbers, rank 1", "operations, full", "operations, rank 1 (paper)"]
    columns += ["operations, rank 1 (ours)", "ms, full", "ms, rank 1"]
    says = [
        "Numbers and operations are per pixel and annotator, by the paper's formulas. The paper has no times.",
        f"Times: likelihood, trace and gradients for {PIXELS} pixels on one processor, the shortest of {REPEATS}.",
        "Our rank 1 is d I + B1 B2^T with normalized columns: as written in the paper, rank 1 makes all columns equal.",
    ]
    return Outcome("Cost over the number of classes", columns, rows, says, {"": _figure(times)})


def _figure(times: list[tuple[float, float]]) -> Figure:
    figure = Figure(figsize=(11, 3.6), layout="constrained")
    numbers, operations, measured = figure.subplots(1, 3)
    numbers.plot(CLASSES, [full_numbers(n) for n in CLASSES], "o-", label="full")
    numbers.plot(CLASSES, [low_rank_numbers(n) for n in CLASSES], "s--", label="rank 1")
    operations.plot(CLASSES, [full_operations(n) for n in CLASSES], "o-", label="full")
    operations.plot(CLASSES, [low_rank_operations(n) for n in CLASSES], "s--", label="rank 1, as in the paper")
    operations.plot(CLASSES, [identity_operations(n) for n in CLASSES], "^:", label="rank 1, ours")
    measured.plot(CLASSES, [1000 * full for full, _ in times], "o-", label="full")
    measured.plot(CLASSES, [1000 * thin for _, thin in times], "s--", label="rank 1")
    titles = ("numbers per pixel and annotator", "operations per pixel and annotator", "milliseconds, measured")
    for axes, title in zip((numbers, operations, measured), titles, strict=True):
        axes.set(title=title, xlabel="classes", xscale="log", yscale="log")
        axes.set_xticks(CLASSES, [str(n) for n in CLASSES])
        axes.minorticks_off()
        axes.grid(alpha=0.3)
        axes.legend()
    return figure
