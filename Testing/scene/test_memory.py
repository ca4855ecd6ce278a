"""Rounds of load, fuse, review, show and remove leave nothing behind."""

from __future__ import annotations

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Annotation, Case, Geometry, Image
from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.experiments import bench_scene
from NoisyLabelSegLib.experiments.bench_scene import draw, measure_rounds, one_round
from NoisyLabelSegLib.scene.headless import HeadlessSlicer

GRID = Geometry.plain((48, 96, 96), (1.0, 1.0, 2.0))


def test_a_round_leaves_no_node_but_the_views(app: HeadlessSlicer) -> None:
    image = Image(np.zeros(GRID.shape, np.int16), GRID)
    annotations = {name: Annotation(Image(drawn, GRID)) for name, drawn in draw(GRID).items()}
    case = Case("case", (image,), annotations, classes=2)
    one_round(app, case)
    after_first = sorted(node.GetID() for node in app.scene.GetNodes())
    one_round(app, case)
    assert sorted(node.GetID() for node in app.scene.GetNodes()) == after_first
    assert not [id for id in after_first if "Volume" in id or "Segmentation" in id or "Table1" in id]


def test_ten_rounds_take_no_more_memory_than_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_scene, "ROUNDS_GRID", GRID)
    sizes = measure_rounds(Terminal())
    assert len(sizes) == 10
    assert sizes[-1] <= 1.05 * sizes[0]
