"""The command as a stranger meets it: real processes, exit codes, help and events."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry, Image, Study, write_image, write_labels
from NoisyLabelSegLib.cli import main
from NoisyLabelSegLib.commands import VERBS
from NoisyLabelSegLib.demo.run import CASES, PRESET
from NoisyLabelSegLib.demo.study import FEWEST
from NoisyLabelSegLib.jobs.protocol import parse_line
from NoisyLabelSegLib.resources import resource_path
from NoisyLabelSegLib.training.settings import preset

COMMAND = [sys.executable, "-m", "NoisyLabelSegLib"]


def make_folder(folder: Path, cases: int) -> Path:
    geometry = Geometry.plain((3, 8, 8))
    for number in range(cases):
        write_image(folder / f"case{number}" / "image.nrrd", Image(np.zeros((3, 8, 8), np.int16), geometry))
        write_labels(folder / f"case{number}" / "reader1.nrrd", np.eye(8)[None].repeat(3, 0), geometry)
    return folder


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself_with_an_example(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([verb, "--help"])
    assert ended.value.code == 0
    page = capsys.readouterr().out
    assert f"noisylabelseg {verb}" in page.split("xample", 1)[1]
    assert "--json" in page


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in ("evaluate", "bench", "run")])
def test_a_verb_that_is_not_the_last_says_what_comes_next(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([verb, "--help"])
    assert "Next:" in capsys.readouterr().out


def test_help_of_a_training_names_the_presets(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["train", "--help"])
    words = capsys.readouterr().out.replace(",", " ").split()
    assert {path.stem for path in resource_path("presets").glob("*.json")} <= set(words)


def test_help_of_the_demo_says_what_it_does_unasked(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["demo", "--help"])
    page = " ".join(capsys.readouterr().out.split())
    assert f"(default {CASES}, at least {FEWEST})" in page
    assert f"(default {preset(PRESET).epochs})" in page


def test_the_front_page_lists_every_verb() -> None:
    page = subprocess.run([*COMMAND, "--help"], capture_output=True, text=True, check=True).stdout
    listed = {line.split()[0] for line in page.splitlines() if line.startswith("    ") and line.strip()}
    assert set(VERBS) <= listed


def test_the_command_alone_shows_the_front_page() -> None:
    alone = subprocess.run(COMMAND, capture_output=True, text=True, check=True)
    assert "See it work:" in alone.stdout
    assert not alone.stderr


def test_events_replace_text_with_json(tmp_path: Path) -> None:
    source = make_folder(tmp_path / "source", cases=3)
    words = ["import", "folder", str(source), "--out", str(tmp_path / "out"), "--json"]
    run = subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=False)
    assert run.returncode == 0
    assert run.stderr == ""
    events = [json.loads(line) for line in run.stdout.splitlines()]
    assert events[0]["event"] == "started"
    assert events[-1]["event"] == "result"
    assert events[-1]["cases"] == 3
    done = [event["done"] for event in events if event["event"] == "progress" and event["stage"] == "import"]
    assert done == [0, 1, 2, 3]


def test_an_abbreviated_option_gives_events_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = make_folder(tmp_path / "source", cases=1)
    assert main(["import", "folder", str(source), "--out", str(tmp_path / "out"), "--js"]) == 0
    assert [json.loads(line)["event"] for line in capsys.readouterr().out.splitlines()][-1] == "result"


def test_an_error_is_an_event_too(tmp_path: Path) -> None:
    run = subprocess.run([*COMMAND, "check", str(tmp_path), "--json"], capture_output=True, text=True, check=False)
    assert run.returncode == 2
    last = parse_line(run.stdout.splitlines()[-1])
    assert last is not None
    assert last.kind == "error"
    assert last.values["message"] == run.stderr.strip()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_cancelling_ends_with_130_and_leaves_nothing(number: signal.Signals, tmp_path: Path) -> None:
    source = make_folder(tmp_path / "source", cases=60)
    out = tmp_path / "out"
    words = [*COMMAND, "import", "folder", str(source), "--out", str(out), "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if '"stage": "import"' in line:
                process.send_signal(number)
                break
        process.stdout.read()
    assert process.returncode == 130
    assert [path.name for path in tmp_path.iterdir()] == ["source"]


def test_an_imported_study_is_whole(tmp_path: Path) -> None:
    source = make_folder(tmp_path / "source", cases=2)
    assert main(["import", "folder", str(source), "--out", str(tmp_path / "out")]) == 0
    study = Study.read(tmp_path / "out")
    assert study.annotators == ("reader1",)
    labels = study.case("case1").labels("reader1")
    assert labels is not None
    assert labels.sum() == 24


def test_a_fault_of_ours_is_one_sentence_and_exit_code_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from NoisyLabelSegLib.commands import check

    def fail(*_: object) -> dict[str, object]:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(check, "run", fail)
    assert main(["check", str(tmp_path)]) == 1


def test_help_is_quick_because_verbs_load_other_packages_late() -> None:
    code = (
        "import sys\nfrom NoisyLabelSegLib.cli import main\ntry: main(['-h'])\nexcept SystemExit: print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "torch", "SimpleITK"} & set(loaded)


def test_a_verb_with_a_typing_error_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reveiw", "my-study"]) == 2
    assert capsys.readouterr().err == "There is no verb reveiw; try noisylabelseg review.\n"
    assert main(["xyz"]) == 2
    assert capsys.readouterr().err == "There is no verb xyz; noisylabelseg --help lists them.\n"


@pytest.mark.parametrize("words", [["--at", "-62,40,-110"], ["--at=-62,40,-110"], ["--roi", "-6,-4,-3,-.5,1e2,3"]])
def test_negative_numbers_need_no_equals_sign(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["predict", "lidc-nodules", str(tmp_path / "x.nrrd"), *words, "--out", str(tmp_path / "out")]) == 2
    assert "x.nrrd: does not exist" in capsys.readouterr().err


@pytest.mark.parametrize("moment", ["in C code", "lost"])
def test_a_signal_ends_the_run_wherever_it_arrives(
    make_disk_study: Callable[..., Study], tmp_path: Path, moment: str
) -> None:
    """Below PyRun_String() Python would end the process by a signal; in a callback it would forget the exception."""
    script = """
import ctypes, os, signal, sys, weakref
from NoisyLabelSegLib.cli import main
from NoisyLabelSegLib.fusion import study
class Thing: pass
def kill(*_): os.kill(os.getpid(), signal.SIGTERM); [None for _ in range(100)]
def in_c(*_):
    place = {"kill": kill}
    ctypes.pythonapi.PyRun_String.restype = ctypes.py_object
    ctypes.pythonapi.PyRun_String(b"kill()", 257, ctypes.py_object(place), ctypes.py_object(place))
def lost(*_):
    thing = Thing()
    reference = weakref.ref(thing, kill)
    del thing
original, act = study.run_key, {"in C code": in_c, "lost": lost}[sys.argv[1]]
study.run_key = lambda *words, **more: (act(), original(*words, **more))[1]
sys.exit(main(sys.argv[2:]))
"""
    words = ["fuse", str(make_disk_study(cases=2).folder), "--out", str(tmp_path / "out")]
    (tmp_path / "act.py").write_text(script, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": f"{Path(__file__).resolve().parents[1]}:{tmp_path}"}
    command = [sys.executable, "-m", "act", moment, *words]  # with -m, as people start it
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 130, done.stderr
    assert done.stderr.endswith("Cancelled: nothing half-written was left behind.\n")
    assert not (tmp_path / "out").exists()
