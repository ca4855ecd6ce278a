"""What people read when something is wrong."""

from __future__ import annotations

from NoisyLabelSegLib.errors import UserError


def test_the_sentence_names_the_file_the_problem_and_the_remedy() -> None:
    error = UserError("is empty.", file="scan.nrrd", remedy="export it again.")
    assert error.sentence == "scan.nrrd: is empty; export it again."


def test_a_problem_over_several_lines_becomes_one() -> None:
    assert UserError("first\n  second").sentence == "first second."


def test_technical_detail_stays_out_of_the_sentence() -> None:
    error = UserError("is damaged", file="a.nrrd", detail="itkNrrdImageIO.cxx:123")
    assert "itk" not in str(error)
    assert error.detail == "itkNrrdImageIO.cxx:123"
