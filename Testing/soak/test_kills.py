"""Commands killed at random moments of their work: nothing half-written, and a rerun gives the same bytes."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.commands import VERBS
from NoisyLabelSegLib.resources import resource_path
from Testing.spoiling import snapshot

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
SECONDS = 900

TIMED = """
import os, signal, sys, threading, time
from NoisyLabelSegLib import output
from NoisyLabelSegLib.cli import main
claim, seconds, began = output.claimed, float(sys.argv[1]), []
def claim_and_die_later(path):
    if not began:
        began.append(time.monotonic())
        if seconds >= 0:
            threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGKILL)).start()
    return claim(path)
output.claimed = claim_and_die_later
code = main(sys.argv[2:])
print("worked", time.monotonic() - began[0])
sys.exit(code)
"""
"""The command with a clock that kills it, started when it begins to write; without one below 0 seconds."""


def start(seconds: float, words: list[str]) -> tuple[int, str]:
    command = [sys.executable, "-c", TIMED, str(seconds), *words]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=SECONDS, check=False)
    return done.returncode, done.stdout + done.stderr


COMMANDS = {
    "fuse": (["fuse", "{study}", "--out", "{out}"], ["--force"]),
    "review": (["review", "{study}", "--truth", "majority", "--out", "{out}"], ["--force"]),
    "predict": (["predict", "{model}", "{study}", "--annotators", "--device", "cpu", "--out", "{out}"], ["--force"]),
    "train": (
        [
            "train",
            "{study}",
            "--out",
            "{out}",
            "--set",
            "widths=[4,8]",
            "epochs=6",
            "samples=4",
            "batch=2",
            "device=cpu",
        ],
        ["--resume"],
    ),
    "agree": (["agree", "{study}", "--out", "{out}"], ["--force"]),
}
"""Verb to its command, and what is added to it where an earlier one has left something."""

RESUMED = {"checkpoint.pt", "metrics.jsonl", "settings.json"}
"""What a training that was killed leaves, so that it can be resumed."""


@pytest.mark.parametrize(
    ("verb", "kills"),
    [("fuse", 1), *(pytest.param(verb, 20, marks=pytest.mark.soak) for verb in COMMANDS if verb in VERBS)],
)
def test_a_killed_command_leaves_nothing_half_written_and_its_rerun_gives_the_same_bytes(
    make_disk_study: Callable[..., Study], tmp_path: Path, verb: str, kills: int
) -> None:
    study, moments = make_disk_study(cases=4), random.Random(verb)
    out = tmp_path / "results" / "out"
    words, again = COMMANDS[verb]
    places = {"study": study.folder, "model": resource_path("models") / "demo-nodules.nlseg"}

    def command(where: Path) -> list[str]:
        more = again if where.exists() and any(where.iterdir()) else []
        if more == ["--resume"]:  # a run goes on with the settings that it was started with
            return ["train", str(study.folder), "--out", str(where), "--resume"]
        return [word.format(out=where, **places) for word in words] + more

    code, said = start(-1, command(tmp_path / "whole"))
    assert code == 0, said
    whole, duration = snapshot(tmp_path / "whole"), float(said.rpartition("worked")[2].split()[0])
    killed = 0
    for _ in range(kills):
        code, said = start(moments.uniform(0, duration), command(out))
        assert code in (0, -signal.SIGKILL), said
        killed += code != 0
        found = snapshot(out)
        half_written = {name for name in found if "partial-" not in name} - set(whole)
        assert not half_written
        if verb == "train":
            assert {name for name in found if "partial-" not in name} <= {*RESUMED, "model.nlseg"}
        else:
            assert found in ({}, whole), "half a result"
    assert killed >= kills // 2
    code, said = start(-1, command(out))
    assert code == 0, said
    assert {path.name for path in out.parent.iterdir()} == {"out"}, "something is left beside the output"
    compared = set(whole) - {"checkpoint.pt"}  # a zip file of its own time
    assert set(snapshot(out)) == set(whole)
    assert {name: snapshot(out)[name] for name in compared} == {name: whole[name] for name in compared}
