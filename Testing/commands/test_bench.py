"""Every benchmark has its own options, and a command that misuses them gets a sentence."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from NoisyLabelSegLib.cli import main


def help_of(*words: str, capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit):
        main(["bench", *words, "--help"])
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "options"),
    [
        (
            "accuracy",
            {"--study", "--method", "--panel", "--labels", "--seeds"}
            | {"--out", "--work", "--data", "--jobs", "--most", "--list"},
        ),
        ("fusion-table", {"--seeds", "--data", "--record"}),
        ("fusion", {"--repeats"}),
        ("asking", set()),
    ],
)
def test_a_benchmark_offers_its_own_options_and_no_other(
    name: str, options: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    words = set(re.sub(r"[][()]", " ", help_of(name, capsys=capsys)).split())
    assert {word for word in words if word.startswith("--")} == {"--help", "--json", "--debug", *options}


def test_help_of_a_benchmark_speaks_of_that_one(capsys: pytest.CaptureFixture[str]) -> None:
    page = help_of("accuracy", capsys=capsys)
    assert "noisylabelseg bench accuracy" in page.split("example:")[1]
    assert "on held-out cases" in " ".join(page.split())
    assert "ratios" not in page


@pytest.mark.parametrize("words", [("fusion", "--study", "mnist"), ("accuracy", "--repeats", "2")])
def test_the_option_of_another_benchmark_is_refused(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", *words]) == 2
    assert f"{words[1]} {words[2]}" in capsys.readouterr().err


def test_timing_nothing_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "fusion", "--repeats", "0"]) == 2
    assert "--repeats must be 1 or more" in capsys.readouterr().err


def test_asking_for_the_options_of_one_benchmark_does_not_load_the_others() -> None:
    code = (
        "import contextlib, sys\n"
        "from NoisyLabelSegLib.cli import main\n"
        "with contextlib.suppress(SystemExit): main(['bench', 'fusion', '--help'])\n"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0
