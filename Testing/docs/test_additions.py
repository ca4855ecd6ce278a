"""The developer's guide names files that exist, and few of them for each addition."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = (REPOSITORY / "docs" / "developer.md").read_text(encoding="utf-8")
MOST = {
    "fusion method": 3,
    "file format": 3,
    "network with its objective": 5,
    "metric in `evaluate`, report and panel": 5,
    "verb": 3,
    "panel section": 5,
}
ROWS = dict(
    re.findall(r"^\| ([^|]+) \| (`[^|]+) \|$", PAGE.split("## What an addition touches")[1], flags=re.MULTILINE)
)


@pytest.mark.parametrize("addition", MOST)
def test_an_addition_touches_few_files_and_those_exist(addition: str) -> None:
    files = re.findall(r"`([^`]+)`", ROWS[addition])
    assert 1 < len(files) <= MOST[addition]
    for name in files:
        base = REPOSITORY if name.startswith("Resources") else REPOSITORY / "NoisyLabelSegLib"
        path = base / name
        assert path.parent.is_dir() if "NAME" in name else path.is_file(), name


def test_the_owners_of_contracts_exist() -> None:
    table = PAGE.split("Each contract has one owner")[1].split("## ")[0]
    modules = re.findall(r"`([\w/]+\.py)`", table)
    assert len(modules) > 8
    assert [name for name in modules if not (REPOSITORY / "NoisyLabelSegLib" / name).is_file()] == []
