"""`bench scale`: processor time and peak memory of the verbs on large cases, and on many small ones."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from NoisyLabelSegLib.cases import Annotation, Case, Geometry, Image, Study, write_image, write_labels
from NoisyLabelSegLib.commands.terminal import Terminal

SUMMARY = "Processor time and peak memory of fuse, review, evaluate and agree on large cases and on many cases."

ROOT = Path(__file__).resolve().parents[1]
READERS, CLASSES = tuple(f"reader{number}" for number in range(1, 6)), ("background", "one", "two")
VERBS = {
    "fuse": ["fuse", "{study}", "--out", "{out}"],
    "review": ["review", "{study}", "--truth", "majority", "--out", "{out}"],
    "evaluate": ["evaluate", "{fused}", "{study}", "--out", "{out}.json"],
    "agree": ["agree", "{study}", "--out", "{out}"],
}
"""Verb to its command; fuse comes first because evaluate scores what it wrote."""
_DIFFERENT_CASES = 10

_WORKER = """
import json, resource, sys, time
from NoisyLabelSegLib.cli import main
code = main(sys.argv[1:])
seconds = time.process_time()
print(json.dumps([code, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024]))
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--slices", type=int, nargs="*", default=[40, 200, 600], help="of 512 x 512 voxels")
    parser.add_argument("--cases", type=int, nargs="*", default=[250, 500, 1000], help="of 32 x 32 x 6 voxels")
    parser.add_argument("--verbs", nargs="*", choices=list(VERBS), default=list(VERBS))


def run(terminal: Terminal, options: argparse.Namespace) -> dict[str, Any]:
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for kind, sizes, make in (("slices", options.slices, large_case), ("cases", options.cases, many_cases)):
            for size in sizes:
                study = make(Path(folder) / f"{kind}-{size}", size)
                for verb in ["fuse", *(verb for verb in options.verbs if verb != "fuse")]:
                    seconds, memory = measured(verb, study)
                    found.setdefault(f"{verb}, {size} {kind}", {"seconds": seconds, "peak GB": memory / 1e9})
                    terminal.say(f"{verb}, {size} {kind}: {seconds:.1f} s, {memory / 1e9:.2f} GB")
    rows = [[name, f"{row['seconds']:.1f}", f"{row['peak GB']:.2f}"] for name, row in found.items()]
    terminal.table("One process, one thread", ["work", "processor seconds", "peak GB"], rows)
    return found


def measured(verb: str, study: Path) -> tuple[float, int]:
    """Processor seconds and largest resident memory in bytes of a process that carries out the verb on a study."""
    out = study.with_name(f"{study.name}-{verb}")
    places = {"study": study, "out": out, "fused": study.with_name(f"{study.name}-fuse")}
    words = [word.format(**places) for word in VERBS[verb]]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", _WORKER, *words], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0 or json.loads(done.stdout.splitlines()[-1])[0] != 0:
        raise RuntimeError(f"{verb} failed: {done.stderr}")
    _, seconds, memory = json.loads(done.stdout.splitlines()[-1])
    return float(seconds), int(memory)


def large_case(folder: Path, slices: int) -> Path:
    """A study of one case: balls all over a volume of 512 x 512 voxels a slice, five readers, two classes."""
    case = _case(folder, "large", (slices, 512, 512), balls=slices // 4, radius=(8, 30), seed=0)
    return _written(folder, [case])


def many_cases(folder: Path, cases: int) -> Path:
    """A study of small cases, of which ten are different and the others repeat their files."""
    made = [
        _case(folder, f"case{number}", (6, 32, 32), balls=2, radius=(3, 6), seed=number)
        for number in range(min(cases, _DIFFERENT_CASES))
    ]
    return _written(folder, [replace(made[number % len(made)], id=f"case{number:05}") for number in range(cases)])


def _case(
    folder: Path, id: str, shape: tuple[int, int, int], *, balls: int, radius: tuple[float, float], seed: int
) -> Case:
    chance, grid = np.random.default_rng(seed), Geometry.plain(shape, (0.7, 0.7, 1.0))
    low, high = np.minimum((0, 40, 40), np.array(shape) // 4), np.maximum(np.array(shape) - (0, 42, 42), 20)
    drawn_balls = [(*chance.uniform(low, high), chance.uniform(*radius)) for _ in range(balls)]
    drawn = {}
    for reader in READERS:
        labels = np.zeros(grid.shape, dtype=np.uint8)
        for number, (z, y, x, size) in enumerate(drawn_balls):
            center, reach = np.array([z, y, x]) + chance.normal(0, 1, 3), size + chance.normal(0, 1)
            box = tuple(slice(max(0, int(c - reach)), max(1, int(c + reach) + 2)) for c in center)
            part = labels[box]
            axes = np.ogrid[tuple(slice(b.start, b.start + length) for b, length in zip(box, part.shape, strict=True))]
            inside = sum((axis - c) ** 2 for axis, c in zip(axes, center, strict=True)) < reach**2
            part[inside] = 1 + number % 2
        write_labels(folder / id / f"{reader}.nrrd", labels, grid)
        drawn[reader] = Annotation(folder / id / f"{reader}.nrrd")
    write_image(folder / id / "ct.nrrd", Image(labels.astype(np.int16) * 100, grid))
    return Case(id, (folder / id / "ct.nrrd",), drawn, folder / id / "reader1.nrrd", classes=len(CLASSES))


def _written(folder: Path, cases: list[Case]) -> Path:
    Study(folder.name, CLASSES, READERS, tuple(cases), folder).write()
    return folder
