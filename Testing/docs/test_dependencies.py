"""The lock file has a hash for everything but PyTorch, and the page of dependencies says what is locked."""

from __future__ import annotations

import re
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement

REPOSITORY = Path(__file__).resolve().parents[2]


def text(name: str) -> str:
    return (REPOSITORY / name).read_text(encoding="utf-8")


def locked(name: str) -> dict[str, str]:
    """Package to version, in the order of the file."""
    return dict(re.findall(r"(?m)^([A-Za-z0-9_.-]+)==(\S+)", text(name)))


def direct() -> set[str]:
    """The packages that pyproject.toml asks for, in lower case."""
    lists = text("pyproject.toml").partition("\ndependencies")[2].partition("[project.scripts]")[0]
    names = re.findall(r'"([A-Za-z0-9_.-]+)(?:[><=]=?[^"]*)?"', lists)
    return {name.lower() for name in names}


def test_every_package_of_the_lock_file_has_a_hash() -> None:
    for entry in re.split(r"(?m)^(?=[A-Za-z0-9])", text("requirements.lock"))[1:]:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", entry), entry
    assert len(locked("requirements.lock")) > 90


def test_the_demo_installs_a_part_of_the_lock_file_with_all_that_its_extras_need() -> None:
    assert set(entries("requirements-demo.lock")) <= set(entries("requirements.lock"))
    listed = {canonical(name) for name in locked("requirements-demo.lock")}
    assert {"numpy", "rich", "safetensors", "slicer-core", "vtk"} <= listed
    assert not {"pytest", "mypy", "pyside6-essentials", "mkdocs", "pandas"} & listed
    assert needed(listed | {"torch"}) <= listed | {"torch"}


def entries(name: str) -> list[str]:
    """The packages of a lock file with their hashes."""
    return re.split(r"(?m)^(?=[A-Za-z0-9])", text(name))[1:]


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def needed(names: set[str]) -> set[str]:
    """What these packages require in this environment."""
    found = [Requirement(line) for name in names for line in distribution(name).requires or []]
    return {canonical(item.name) for item in found if item.marker is None or item.marker.evaluate({"extra": ""})}


def test_pytorch_is_pinned_apart_without_one_and_installed_first() -> None:
    assert list(locked("requirements-torch.txt")) == ["torch"]
    assert "--hash" not in text("requirements-torch.txt")
    assert "torch" not in locked("requirements.lock")
    for recipe in text("Makefile").split("\tbash .ci/system-packages")[1:]:
        assert 0 < recipe.index("--requirement requirements-torch.txt") < recipe.index("--require-hashes")


def test_the_page_lists_what_is_asked_for_in_the_locked_versions() -> None:
    rows = re.findall(r"(?m)^\| [^|]+ \| ([A-Za-z0-9_.-]+) \| (\d\S*) \| [^|]+ \|$", text("docs/dependencies.md"))
    versions = {**locked("requirements.lock"), **locked("requirements-torch.txt")}
    assert {name.lower(): version for name, version in rows} == {name: versions[name] for name in direct()}
