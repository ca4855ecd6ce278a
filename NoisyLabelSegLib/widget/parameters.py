"""What the panel is set to: kept in a node of the scene, so that it is saved and reopened with it."""

from __future__ import annotations

from typing import Annotated

from slicer import vtkMRMLNode, vtkMRMLScalarVolumeNode
from slicer.parameterNodeWrapper import Choice, Decimals, WithinRange, parameterNodeWrapper

DEVICES = ["auto", "cuda", "mps", "cpu"]


@parameterNodeWrapper
class Parameters:
    """The open case: its volume, its name and its study's, its classes, and the annotators with node and segment.

    `ignored` are the annotators who are not ticked, `annotator` is the one whose errors are shown.
    """

    volume: vtkMRMLScalarVolumeNode
    case: str
    study: str
    classes: list[str]
    names: list[str]
    nodes: list[vtkMRMLNode]
    segments: list[str]
    ignored: list[str]
    annotator: str
    method: str = "staple"
    model: str
    live: bool = True
    veil: bool = False
    oneViewEach: bool = False
    safeColors: bool = False
    trainingSource: str = "scene"
    trainingStudy: str
    preset: str = "default"
    epochs: Annotated[int, WithinRange(1, 10000)] = 40
    traceWeight: Annotated[float, WithinRange(0.0, 10.0), Decimals(3)] = 0.1
    rank: Annotated[int, WithinRange(0, 16)] = 0
    device: Annotated[str, Choice(DEVICES)] = "auto"
    seed: Annotated[int, WithinRange(0, 1000000)] = 0
    runFolder: str
    exportFolder: str
