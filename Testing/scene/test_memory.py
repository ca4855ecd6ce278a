"""Rounds of load, fuse, review, show and remove leave nothing behind."""

from __future__ import annotations

import platform

import numpy as np
import pytest

from benchmarks.bench_scene import drawn_case, measure_rounds, one_round, resident_bytes
from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.headless import HeadlessSlicer

GRID = Geometry.plain((60, 128, 128), (1.0, 1.0, 2.0))


def test_a_round_leaves_no_node_but_the_views(app: HeadlessSlicer) -> None:
    case = drawn_case(GRID)
    one_round(app, case)
    after_first = sorted(node.GetID() for node in app.scene.GetNodes())
    one_round(app, case)
    assert sorted(node.GetID() for node in app.scene.GetNodes()) == after_first
    assert not [id for id in after_first if "VolumeNode" in id or "Segmentation" in id or "vtkMRMLTableNode" in id]


def test_ten_rounds_take_no_more_memory_than_one() -> None:
    sizes = measure_rounds(Terminal(), GRID)
    assert len(sizes) == 10
    assert max(sizes) <= 1.05 * sizes[0]


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries are not asked")
def test_removing_a_case_gives_freed_memory_back_to_the_system(app: HeadlessSlicer) -> None:
    blocks = [np.ones(100_000, dtype=np.uint8) for _ in range(2000)]
    kept = blocks[::20]  # between them the C library keeps what is freed
    del blocks
    before = resident_bytes()
    CaseFolder(app.scene, "case").remove()
    assert resident_bytes() < before - 100_000_000
    assert len(kept) == 100
