"""Every command in README and docs runs: blocks fenced as `sh` for real, in order, page by page, on small data.

A page finds `my-data` (a folder as hospitals have them), `scan.nrrd`, some loose files and `Resources` in its folder.
Blocks fenced as `text` show what a test cannot run: make, and the Slicer application.
"""

from __future__ import annotations

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry, Image, Study, write_image
from NoisyLabelSegLib.cli import _parser, main
from NoisyLabelSegLib.commands import VERBS

REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))]
MARKS = re.compile(r"^```(\w*)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
KINDS = {"sh", "text", "python", "json"}


def blocks(page: Path, kind: str) -> list[str]:
    return [content for name, content in MARKS.findall(page.read_text(encoding="utf-8")) if name == kind]


def commands(page: Path) -> list[list[str]]:
    """The words of every command of a page; a line may go on after a backslash."""
    lines = "".join(blocks(page, "sh")).replace("\\\n", " ").splitlines()
    return [words for line in lines if (words := shlex.split(line, comments=True))]


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What every page finds in its folder."""
    folder = tmp_path_factory.mktemp("material")
    made = ["simulate", "nodules", "--panel", "paper", "--cases", "3", "--size", "24,24,6", "--out"]
    assert main([*made, str(folder / "made")]) == 0
    for case in Study.read(folder / "made").cases:
        for old, new in (("ct", "image"), ("annotator_good", "anna"), ("annotator_over", "bert"), ("truth", "truth")):
            place = folder / "my-data" / case.id / f"{new}.nrrd"
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(folder / "made" / case.id / f"{old}.nrrd", place)
    first = folder / "my-data" / "nodules_000"
    loose = {"scan": "image", "flair": "image", "t1": "image", "mask": "truth", "anna": "anna", "bert": "bert"}
    loose["carla"] = "truth"
    for new, old in loose.items():
        shutil.copy(first / f"{old}.nrrd", folder / f"{new}.nrrd")
    shutil.rmtree(folder / "made")
    write_image(folder / "chest.nrrd", chest_with_a_nodule())
    shutil.copytree(REPOSITORY / "Resources", folder / "Resources")
    return folder


def chest_with_a_nodule() -> Image:
    """Air, soft tissue and, in the lung, a nodule of 16 mm around the point that the pages name, in HU."""
    geometry = replace(Geometry.plain((12, 96, 96), (0.7, 0.7, 2.5)), origin=(22.8, 52.7, -129.75))
    z, y, x = np.indices(geometry.shape)
    values = np.random.default_rng(0).normal(-850, 30, geometry.shape)
    values[:, :, :16] = 40
    values[(2.5 * (z - 5.5)) ** 2 + (0.7 * (y - 48)) ** 2 + (0.7 * (x - 48)) ** 2 < 8**2] = 30
    values[:, :4] = -1000
    return Image(values.astype(np.int16), geometry)


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=lambda page: page.name)
def test_every_command_of_the_page_runs(
    page: Path, material: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(material, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    for words in commands(page):
        if words[0] == "noisylabelseg":
            assert main(words[1:]) == 0, f"{' '.join(words)}: {capsys.readouterr().err}"
        else:
            assert words[:2] == ["python", "-m"], f"{' '.join(words)} is not a command that a test runs"
            done = subprocess.run(
                [sys.executable, *words[1:]],
                env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, f"{' '.join(words)}: {done.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_says_what_it_is(page: Path) -> None:
    found = MARKS.findall(page.read_text(encoding="utf-8"))
    assert {kind for kind, _ in found} <= KINDS
    for content in blocks(page, "python"):
        ast.parse(content)
    # A test has neither data of one's own nor what a browser has downloaded; test_clusters.py starts a cluster.
    elsewhere = (" DATA ", "~/Downloads", " --dask ")
    for content in blocks(page, "text"):
        lines = [line for line in content.splitlines() if not any(word in line for word in elsewhere)]
        assert not any(line.startswith("noisylabelseg ") for line in lines), "a command that could be run is not"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_within_a_sentence_names_a_verb_and_options_that_there_are(page: Path) -> None:
    for command in re.findall(r"`noisylabelseg ([^`]+)`", page.read_text(encoding="utf-8")):
        words = command.split()
        assert words[0] in VERBS, command
        known = _options(words)
        for word in words[1:]:
            assert not word.startswith("--") or word in known, f"{command}: {words[0]} has no option {word}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_picture_and_link_of_the_page_leads_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in [*re.findall(r"\]\(([^)#]+)[^)]*\)", text), *re.findall(r'src="([^"]+)"', text)]:
        assert target.startswith("https://") or (page.parent / target).exists(), target


def test_every_picture_is_shown_on_a_page() -> None:
    shown = " ".join(page.read_text(encoding="utf-8") for page in PAGES)
    for picture in (REPOSITORY / "docs" / "pictures").iterdir():
        assert picture.name in shown, f"{picture.name} is on no page"


def _options(words: list[str]) -> set[str]:
    """The options that a command may have."""
    parser = _parser(words)
    actions = next(action for action in parser._actions if action.dest == "verb")
    return set(actions.choices[words[0]]._option_string_actions)  # type: ignore[index,call-overload]
