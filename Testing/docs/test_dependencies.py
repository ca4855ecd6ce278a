"""The lock file has a hash for everything but PyTorch, and the page of dependencies says what is locked."""

from __future__ import annotations

import re
from pathlib import Path

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


def test_pytorch_is_pinned_apart_without_one_and_installed_first() -> None:
    assert list(locked("requirements-torch.txt")) == ["torch"]
    assert "--hash" not in text("requirements-torch.txt")
    assert "torch" not in locked("requirements.lock")
    makefile = text("Makefile")
    assert 0 < makefile.index("--requirement requirements-torch.txt") < makefile.index("--require-hashes")


def test_the_page_lists_what_is_asked_for_in_the_locked_versions() -> None:
    rows = re.findall(r"(?m)^\| [^|]+ \| ([A-Za-z0-9_.-]+) \| (\d\S*) \| [^|]+ \|$", text("docs/dependencies.md"))
    versions = {**locked("requirements.lock"), **locked("requirements-torch.txt")}
    assert {name.lower(): version for name, version in rows} == {name: versions[name] for name in direct()}
