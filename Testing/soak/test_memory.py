"""Peak memory on large cases grows by no more bytes per voxel than measured; 600 slices must fit into 2.5 GB."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Annotation, Case, Geometry, Image, Study, write_image, write_labels

pytestmark = [pytest.mark.soak, pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for the peak")]

ROOT = Path(__file__).resolve().parents[2]
READERS, CLASSES = tuple(f"reader{number}" for number in range(1, 6)), ("background", "one", "two")
FEW, MANY = 40, 100
"""Slices of 512 x 512 voxels of the two cases that are compared."""

PEAK = """
import json, resource, sys
from NoisyLabelSegLib.cli import main
code = main(sys.argv[1:])
print(json.dumps([code, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024]))
"""


def peak(*words: str) -> int:
    """Bytes of the process's largest resident memory."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", PEAK, *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    code, memory = json.loads(done.stdout.splitlines()[-1])
    assert code == 0, done.stderr
    return int(memory)


def make_study(folder: Path, slices: int) -> Study:
    """Balls all over a volume, outlined by five readers in two classes."""
    chance, grid = np.random.default_rng(0), Geometry.plain((slices, 512, 512), (0.7, 0.7, 1.0))
    balls = [(*chance.uniform((0, 40, 40), (slices, 470, 470)), chance.uniform(8, 30)) for _ in range(slices // 4)]
    drawn = {}
    for reader in READERS:
        labels = np.zeros(grid.shape, dtype=np.uint8)
        for number, (z, y, x, radius) in enumerate(balls):
            center, reach = np.array([z, y, x]) + chance.normal(0, 1, 3), radius + chance.normal(0, 1)
            box = tuple(slice(max(0, int(c - reach)), max(1, int(c + reach) + 2)) for c in center)
            part = labels[box]
            axes = np.ogrid[tuple(slice(b.start, b.start + size) for b, size in zip(box, part.shape, strict=True))]
            inside = sum((axis - c) ** 2 for axis, c in zip(axes, center, strict=True)) < reach**2
            part[inside] = 1 + number % 2
        write_labels(folder / f"{reader}.nrrd", labels, grid)
        drawn[reader] = Annotation(folder / f"{reader}.nrrd")
    write_image(folder / "ct.nrrd", Image(labels.astype(np.int16) * 100, grid))
    case = Case("large", (folder / "ct.nrrd",), drawn, folder / "reader1.nrrd", classes=len(CLASSES))
    study = Study("large", CLASSES, READERS, (case,), folder)
    study.write()
    return study


BYTES_PER_VOXEL = {
    "fuse": (["fuse", "{study}", "--out", "{out}"], 8),
    "review": (["review", "{study}", "--truth", "majority", "--out", "{out}"], 13),
}
"""Verb to its command and the most bytes that one more voxel may take, for five readers and three classes."""


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> dict[int, dict[str, Path]]:
    root = tmp_path_factory.mktemp("large")
    made = {}
    for slices in (FEW, MANY):
        made[slices] = {"study": make_study(root / f"{slices}", slices).folder, "out": root / f"out-{slices}"}
    return made


@pytest.mark.parametrize("verb", BYTES_PER_VOXEL)
def test_memory_grows_slowly_with_the_size_of_a_case(studies: dict[int, dict[str, Path]], verb: str) -> None:
    words, most = BYTES_PER_VOXEL[verb]
    peaks = {}
    for slices, places in studies.items():
        named = {**places, "out": Path(f"{places['out']}-{verb}")}
        peaks[slices] = peak(*(word.format(**named) for word in words))
    growth = (peaks[MANY] - peaks[FEW]) / ((MANY - FEW) * 512 * 512)
    assert growth <= most, f"{growth:.1f} bytes per voxel, {peaks}"
