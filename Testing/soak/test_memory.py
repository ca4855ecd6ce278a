"""Peak memory grows by no more bytes per voxel, or per case, than measured; 600 slices must fit into 2.5 GB."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.bench_scale import VERBS, large_case, many_cases, measured

pytestmark = [pytest.mark.soak, pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for the peak")]

FEW, MANY = 40, 100
"""Slices of 512 x 512 voxels, or cases of 32 x 32 x 6, of the two studies that are compared."""
BYTES_PER_VOXEL = {"fuse": 8, "review": 15, "evaluate": 15, "agree": 16}
BYTES_PER_CASE = {"fuse": 150_000, "review": 350_000, "evaluate": 100_000, "agree": 200_000}
"""Verb to the most bytes that one more voxel or case may take, for five readers and three classes."""
SLOWER = 1.5
"""A case may take at most so many times as long among many as among few."""


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    root = tmp_path_factory.mktemp("large")
    return {slices: large_case(root / f"{slices}", slices) for slices in (FEW, MANY)}


@pytest.mark.parametrize("verb", VERBS)
def test_memory_grows_slowly_with_the_size_of_a_case(large: dict[int, Path], verb: str) -> None:
    peaks = {slices: measured(verb, study)[1] for slices, study in large.items()}
    growth = (peaks[MANY] - peaks[FEW]) / ((MANY - FEW) * 512 * 512)
    assert growth <= BYTES_PER_VOXEL[verb], f"{growth:.1f} bytes per voxel, {peaks}"


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    root = tmp_path_factory.mktemp("many")
    return {cases: many_cases(root / f"{cases}", cases) for cases in (FEW, 5 * MANY)}


@pytest.mark.parametrize("verb", VERBS)
def test_time_and_memory_grow_slowly_with_the_number_of_cases(archives: dict[int, Path], verb: str) -> None:
    found = {cases: measured(verb, study) for cases, study in archives.items()}
    growth = (found[5 * MANY][1] - found[FEW][1]) / (5 * MANY - FEW)
    assert growth <= BYTES_PER_CASE[verb], f"{growth:.0f} bytes per case, {found}"
    assert found[5 * MANY][0] / (5 * MANY) <= SLOWER * found[FEW][0] / FEW, found
