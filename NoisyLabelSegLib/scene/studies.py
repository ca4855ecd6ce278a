"""Opens whatever holds cases: a study file, or a folder that was never imported."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from NoisyLabelSegLib.cases import Annotation, Case, Image, Study, read_image, read_labels, resample
from NoisyLabelSegLib.cases.import_folder import plan_folder
from NoisyLabelSegLib.cases.import_plan import PlannedCase, PlannedSource
from NoisyLabelSegLib.cases.label_values import is_mask_of_255
from NoisyLabelSegLib.cases.lazy import LazyCases


def openStudy(path: str | Path) -> Study:
    """A study file, a folder with one, or any folder of images and labels that `import folder` understands.

    Of a folder without a study file nothing is written: its cases are read into memory one by one when asked for.
    """
    path = Path(path)
    if path.is_file() or (path / "study.json").is_file():
        return Study.read(path)
    plan = plan_folder(path)
    cases = LazyCases(plan.cases, partial(_inMemory, classes=len(plan.classes)), keep=False)
    return Study(plan.name, plan.classes, plan.annotators, cases, path)


def _inMemory(planned: PlannedCase, classes: int) -> Case:
    """The case as an import would write it: labels on the image's grid, masks of 255 as 1."""
    images = tuple(_resolve(source, labels=False) for source in planned.images)
    grid = images[0].geometry if images else None

    def labels(source: PlannedSource) -> Image:
        nonlocal grid
        image = _resolve(source, labels=True)
        grid = grid or image.geometry
        image = resample(image, grid) if grid.differences(image.geometry) else image
        isMask = classes == 2 and is_mask_of_255(image.array)
        return Image(image.array // 255, image.geometry) if isMask else image

    annotations = {name: Annotation(labels(source)) for name, source in planned.annotations.items()}
    truth = None if planned.truth is None else labels(planned.truth)
    return Case(planned.id, images, annotations, truth, classes=classes)


def _resolve(source: PlannedSource, *, labels: bool) -> Image:
    if isinstance(source, Image):
        return source
    if isinstance(source, Path):
        return read_labels(source) if labels else read_image(source)
    return source()
