"""Fixtures that the tests of all packages share."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Annotation, Case, Geometry, Study, write_components, write_labels
from Testing.spoiling import good_folder


@pytest.fixture(scope="session", autouse=True)
def audible_signals() -> None:
    """Signals that nohup or a background shell ignores are heard again, here and in the processes that tests start."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture
def shared_data() -> Path:
    """The team's folder of real data; a test that wants it is skipped where it is absent."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("needs ../shared/data")
    return folder


@pytest.fixture
def good_input(tmp_path: Path) -> Path:
    """A folder that `import folder` accepts, to be spoilt."""
    folder = tmp_path / "source"
    good_folder(folder)
    return folder


@pytest.fixture
def make_disk_study(tmp_path: Path) -> Callable[..., Study]:
    """Makes a study of bright disks in `tmp_path`, see `write_disk_study`."""

    def make(name: str = "study", **how: Any) -> Study:
        return write_disk_study(tmp_path / name, **how)

    return make


def write_disk_study(
    folder: Path, *, cases: int = 6, shape: tuple[int, ...] = (16, 16), channels: int = 1, **gaps: list[str]
) -> Study:
    """A study of bright disks (balls) in noise with the annotators over, under and good, as real files.

    `gaps` maps a case id ("case0", ...) to the annotators who did not label it.
    """
    rng = np.random.default_rng(7)
    geometry, made = Geometry.plain(shape), []
    axes = np.indices(shape)
    for number in range(cases):
        id, center = f"case{number}", rng.uniform(0.35, 0.65, len(shape)) * shape
        distance = np.sqrt(((axes.T - center).T ** 2).sum(axis=0))
        drawn = {"over": distance < 6, "under": distance < 3, "good": distance < 4.5}
        image = drawn["good"] + rng.normal(0, 0.1, (channels, *shape))
        write_components(folder / id / "image.nrrd", image if channels > 1 else image[0], geometry)
        for annotator, labels in {**drawn, "truth": drawn["good"]}.items():
            write_labels(folder / id / f"{annotator}.nrrd", labels, geometry)
        given = {a: Annotation(folder / id / f"{a}.nrrd") for a in drawn if a not in gaps.get(id, [])}
        image_file, truth = folder / id / "image.nrrd", folder / id / "truth.nrrd"
        made.append(Case(id, (image_file,), given, truth, split=None, classes=2))
    study = Study("disks", ("background", "disk"), ("over", "under", "good"), tuple(made), folder)
    study.write()
    return Study.read(folder)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 256 KB; a test that wants it is skipped where nobody may mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("may not mount a small disk here")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)
