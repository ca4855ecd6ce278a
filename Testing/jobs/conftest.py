"""Jobs with real processes, and a look at what they leave behind."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry, Image, write_image, write_labels
from NoisyLabelSegLib.jobs.job import Job, State
from NoisyLabelSegLib.jobs.reports import Cancelled, Failed, Finished, Logged, Progressed, Started
from NoisyLabelSegLib.verbs import FuseSettings, VerbSettings
from Testing.jobs.real_work import SECONDS

SCRIPT = """\
import json, os, signal, subprocess, sys, time

def say(**event):
    print(json.dumps(event), flush=True)

say(event="started", verb="fuse", process=os.getpid())
"""

LAUNCHER = """
import subprocess, sys
child = subprocess.Popen([sys.executable, *sys.argv[1:]])
code = child.wait()
sys.exit(code if code >= 0 else 128 - code)
"""


@dataclass
class Heard:
    """Everything a job said, in order."""

    news: list[Any] = field(default_factory=list)

    def listen(self, job: Job) -> Heard:
        for signal in (job.started, job.progressed, job.logged, job.finished, job.failed, job.cancelled):
            signal.connect(self.news.append)  # type: ignore[attr-defined]
        return self

    def of(self, kind: type) -> list[Any]:
        return [news for news in self.news if isinstance(news, kind)]

    @property
    def ending(self) -> Finished | Failed | Cancelled:
        """The one news that came last."""
        endings = [news for news in self.news if not isinstance(news, (Started, Progressed, Logged))]
        assert endings == self.news[-1:], "a job ends once, and says nothing afterwards"
        return endings[0]

    @property
    def process(self) -> int:
        """The process number that the worker told."""
        return int(self.of(Started)[0].process)

    @property
    def log(self) -> list[str]:
        return [news.text for news in self.of(Logged)]


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder for temporary files; no process that names it and no file in it may be left by any test."""
    folder = tmp_path / "temporary files"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    wait_until(lambda: not Processes.naming(folder))
    assert list(folder.iterdir()) == []


@pytest.fixture
def listen() -> Callable[[Job], Heard]:
    """Listens to all signals of a job."""
    return lambda job: Heard().listen(job)


@pytest.fixture
def eventually() -> Callable[[Callable[[], object]], None]:
    """Waits until a condition holds."""
    return wait_until


@pytest.fixture
def processes() -> type[Processes]:
    """A look at what runs on this machine."""
    return Processes


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a stand-in for the worker; it has started when its own code begins, and can say() events."""

    def write(code: str) -> Path:
        path = tmp_path / "script.py"
        path.write_text(SCRIPT + textwrap.dedent(code), encoding="utf-8")
        return path

    return write


@pytest.fixture
def launcher(tmp_path: Path) -> list[str]:
    """An interpreter that starts the real one as its child and waits for it, as Slicer's does."""
    path = tmp_path / "launcher.py"
    path.write_text(LAUNCHER, encoding="utf-8")
    return [sys.executable, str(path)]


@pytest.fixture
def settings(tmp_path: Path) -> FuseSettings:
    """Settings that a stand-in does not look at."""
    (tmp_path / "study.json").write_text("{}", encoding="utf-8")
    return FuseSettings(study=str(tmp_path / "study.json"), out=str(tmp_path / "out"))


@pytest.fixture(scope="session")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four small images of a bright square, outlined by three annotators: one right, one too wide, one too tight."""
    folder = tmp_path_factory.mktemp("a study")
    noise = np.random.default_rng(0)
    cases = []
    for number in range(4):
        id, place = f"case{number}", 8 + number
        for name, edge in (("image", 0), ("right", 0), ("wide", 1), ("tight", -1)):
            square = np.zeros((32, 32), dtype=np.uint8)
            square[place - edge : place + 10 + edge, place - edge : place + 12 + edge] = 1
            path = folder / id / f"{name}.nrrd"
            if name == "image":
                pixels = square * 100 + noise.normal(0, 5, square.shape)
                write_image(path, Image(pixels.astype(np.float32), Geometry.plain(square.shape)))
            else:
                write_labels(path, square, Geometry.plain(square.shape))
        files = {name: f"{id}/{name}.nrrd" for name in ("right", "wide", "tight")}
        cases.append({"id": id, "images": [f"{id}/image.nrrd"], "annotations": files})
    content = {"format": "noisylabelseg-study/1", "name": "squares", "classes": ["background", "square"]}
    content |= {"annotators": ["right", "wide", "tight"], "cases": cases}
    (folder / "study.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def large_study(study: Path) -> Path:
    """The same four images thousands of times: work for minutes."""
    return repeated(study, 3000)


@pytest.fixture(scope="session")
def larger_study(study: Path) -> Path:
    """The same four images often enough for an epoch that takes a while."""
    return repeated(study, 300)


def repeated(study: Path, count: int) -> Path:
    content = json.loads((study / "study.json").read_text(encoding="utf-8"))
    cases = content["cases"]
    content["cases"] = [{**cases[number % len(cases)], "id": f"case{number}"} for number in range(count)]
    path = study / f"{count}.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@pytest.fixture
def run(settings: FuseSettings) -> Callable[..., tuple[Job, Heard]]:
    """Runs a stand-in to its end and returns what was heard.

    `before(job)` is called before it starts and `during(job, heard)` while it runs.
    """

    def run(
        worker: Path,
        *,
        before: Callable[[Job], object] | None = None,
        during: Callable[[Job, Heard], None] | None = None,
        **options: Any,
    ) -> tuple[Job, Heard]:
        job = Job(settings, worker=worker, **options)
        heard = Heard().listen(job)
        if before is not None:
            before(job)
        job.start()
        if during is not None:
            during(job, heard)
        assert job.wait(SECONDS) is not State.RUNNING
        return job, heard

    return run


@pytest.fixture
def do(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Heard]:
    """Runs real work to its end and returns what was heard; `during(job, heard)` is called while it runs."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")

    def do(settings: VerbSettings, during: Callable[[Job, Heard], None] | None = None, **options: Any) -> Heard:
        job = Job(settings, **options)
        heard = Heard().listen(job)
        job.start()
        try:
            if during is not None:
                during(job, heard)
            assert job.wait(SECONDS) is not State.RUNNING
        finally:
            job.close()
        return heard

    return do


class Processes:
    """What /proc tells (Linux)."""

    @staticmethod
    def naming(path: Path) -> list[int]:
        """The processes that have this path in their command line."""
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if os.fsencode(path) in (entry / "cmdline").read_bytes() and int(entry.name) != os.getpid():
                    found.append(int(entry.name))
        return found

    @staticmethod
    def alive(process: int) -> bool:
        """Whether it runs; a zombie that nobody has waited for does not."""
        with contextlib.suppress(OSError):
            return _status(process)[0] != "Z"
        return False

    @staticmethod
    def parent(process: int) -> int:
        return int(_status(process)[1])


def _status(process: int) -> list[str]:
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()


def wait_until(condition: Callable[[], object]) -> None:
    """Waits until the condition holds; fails if it never does."""
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)
