"""What people read when something is wrong."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from NoisyLabelSegLib.errors import BAD_INPUT, EXTRAS, FAULT, UserError, ending


def test_the_sentence_names_the_file_the_problem_and_the_remedy() -> None:
    error = UserError("is empty.", file="scan.nrrd", remedy="export it again.")
    assert error.sentence == "scan.nrrd: is empty; export it again."


def test_a_problem_over_several_lines_becomes_one() -> None:
    assert UserError("first\n  second").sentence == "first second."


def test_technical_detail_stays_out_of_the_sentence() -> None:
    error = UserError("is damaged", file="a.nrrd", detail="itkNrrdImageIO.cxx:123")
    assert "itk" not in str(error)
    assert error.detail == "itkNrrdImageIO.cxx:123"


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_of_the_messages_is_one_that_can_be_installed(extra: str) -> None:
    project = (Path(__file__).resolve().parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    assert f"\n{extra} = [" in project.partition("[project.optional-dependencies]")[2]


def test_a_missing_package_is_bad_input_and_its_extra_is_named() -> None:
    code, sentence = ending(ModuleNotFoundError("No module named 'torch'", name="torch.nn"), remedy="")
    assert code == BAD_INPUT
    assert 'torch, which is not installed; install it with pip install "noisylabelseg[networks]"' in sentence
    assert "PyTorch extension" in sentence


def test_a_missing_module_of_our_own_is_a_fault() -> None:
    code, sentence = ending(ModuleNotFoundError("No module named 'x'", name="NoisyLabelSegLib.x"), remedy="report it")
    assert code == FAULT
    assert "report it" in sentence


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        ImportError("libtorch.so: failed to map segment from shared object"),
        ImportError("libscipy.so: cannot open shared object file: Cannot allocate memory"),
        OSError(errno.ENOMEM, "Cannot allocate memory"),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 8000000000 bytes."),
    ],
)
def test_memory_that_ran_out_is_said_however_a_library_puts_it(error: Exception) -> None:
    code, sentence = ending(error, remedy="report it")
    assert code == BAD_INPUT
    assert "ran out of memory" in sentence


def test_a_library_that_is_broken_is_a_fault() -> None:
    assert ending(ImportError("undefined symbol: x"), remedy="report it")[0] == FAULT
