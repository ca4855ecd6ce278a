"""What people expect of a project: one version everywhere, a changelog, and a workflow that calls what there is."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from NoisyLabelSegLib import __version__

REPOSITORY = Path(__file__).resolve().parents[2]


def text(name: str) -> str:
    return (REPOSITORY / name).read_text(encoding="utf-8")


def test_the_version_is_the_same_everywhere() -> None:
    assert f'version = "{__version__}"' in text("pyproject.toml")
    assert f"version: {__version__}" in text("CITATION.cff")
    assert f"## {__version__}" in text("CHANGELOG.md")
    assert f"noisylabelseg-{__version__}-py3-none-any.whl" in text("README.md")


def test_the_workflow_runs_lint_tests_documentation_and_the_wheel_on_three_systems() -> None:
    jobs = yaml.safe_load(text(".github/workflows/tests.yml"))["jobs"]
    commands = "\n".join(str(step.get("run", "")) for job in jobs.values() for step in job["steps"])
    targets = set(re.findall(r"make (\w+)", commands))
    assert {"lint", "test", "docs"} <= targets
    assert all(re.search(rf"(?m)^{target}:", text("Makefile")) for target in targets)
    assert "pip wheel" in commands
    systems = {system.partition("-")[0] for system in jobs["library"]["strategy"]["matrix"]["system"]}
    assert systems == {"ubuntu", "macos", "windows"}
    for ignored in re.findall(r"--ignore=(\S+)", commands):
        assert (REPOSITORY / ignored).exists(), ignored


def test_the_container_copies_files_that_exist() -> None:
    for line in re.findall(r"(?m)^COPY (.+) \S+$", text("Dockerfile")):
        assert all((REPOSITORY / name).exists() for name in line.split()), line
        assert all(f"!{name}" in text(".dockerignore").splitlines() for name in line.split()), line
