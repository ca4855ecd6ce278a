"""Rounds of load, fuse, review, show and remove leave nothing behind."""

from __future__ import annotations

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.experiments.bench_scene import drawn_case, measure_rounds, one_round
from NoisyLabelSegLib.scene.headless import HeadlessSlicer

GRID = Geometry.plain((48, 96, 96), (1.0, 1.0, 2.0))


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
    assert sizes[-1] <= 1.05 * sizes[0]
