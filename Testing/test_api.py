"""The public names: what they are, that they cost nothing until used, and that their examples run."""

from __future__ import annotations

import doctest
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import NoisyLabelSegLib

NAMES = ["Case", "Study", "evaluate", "fuse", "fuse_study", "load_model", "review_study", "simulate", "train"]


def test_the_public_names_are_these() -> None:
    assert NoisyLabelSegLib.__all__ == NAMES
    assert set(NAMES) <= set(dir(NoisyLabelSegLib))


def test_another_name_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="no attribute 'fusee'"):
        NoisyLabelSegLib.fusee  # noqa: B018


@pytest.mark.parametrize(
    "names", ["Study, Case, fuse", "fuse_study, review_study, evaluate, simulate, train, load_model"]
)
def test_importing_public_names_loads_neither_torch_vtk_nor_qt(names: str) -> None:
    code = f"from NoisyLabelSegLib import {names}; import sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"torch", "vtk", "slicer", "qt", "PySide6", "SimpleITK", "highdicom"} & set(loaded)


@pytest.mark.parametrize("name", NAMES)
def test_the_example_of_a_public_name_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    public = getattr(NoisyLabelSegLib, name)
    test = doctest.DocTestParser().get_doctest(
        inspect.getdoc(public) or "", {other: getattr(NoisyLabelSegLib, other) for other in NAMES}, name, None, 0
    )
    assert test.examples, f"{name} has no example"
    failures: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=failures.append)
    assert not failures, "".join(failures)
