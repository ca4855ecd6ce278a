"""The actions that `bench panel` times on a large case."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.bench_review import GRID, draw_lesions
from NoisyLabelSegLib.cases import Annotation, Case, Study, write_components, write_image, write_labels
from NoisyLabelSegLib.cases.geometry import Image

PATIENCE_SECONDS = 1800


def listen(host: Any, heartbeat: Any, act: Callable[[], Any], done: Callable[[], bool]) -> Any:
    """The heartbeat of the event loop from an action to its end."""
    heartbeat.start()
    act()
    host.wait_for(done, seconds=PATIENCE_SECONDS)
    host.wait_for(lambda: heartbeat.gaps, seconds=PATIENCE_SECONDS)
    heartbeat.stop()
    return heartbeat


class LargeCase:
    """Goes through what people do with a case of 512 x 512 x 200 voxels and five annotators, one action at a time."""

    def __init__(self, host: Any, panel: Any, heartbeat: Callable[[], Any]) -> None:
        self._host, self._panel, self._heartbeat = host, panel, heartbeat

    def heard(self) -> dict[str, Any]:
        """A heartbeat for every action: by how much the event loop was late, again and again."""
        with tempfile.TemporaryDirectory(prefix="noisylabelseg-bench-") as name:
            folder = Path(name)
            study = written_study(folder / "study")
            _write_prediction(folder / "prediction")
            actions = self._actions(study, folder)
            return {what: listen(self._host, self._heartbeat(), act, done) for what, act, done in actions}

    def _actions(self, study: Path, folder: Path) -> list[tuple[str, Callable[[], Any], Callable[[], bool]]]:
        panel = self._panel
        truth, annotators, train = panel.truthSection, panel.annotatorsSection, panel.trainSection
        table = annotators._ui.statisticsTable
        truth._ui.liveBox.setChecked(False)
        train._ui.runPath.currentPath = str(folder / "run")

        def opened() -> bool:
            return bool(panel.case.isOpen and panel.case.isReady and not panel.case._runner.running)

        def estimated() -> bool:
            return panel.truth.truth is not None and not truth._steps.running

        def reviewed() -> bool:
            return panel.annotators.review is not None and not annotators.isReviewing

        def at_rest() -> bool:
            return not truth._steps.running and not annotators.isReviewing

        display = panel.displaySection

        def overlay(name: str) -> None:
            combo = display._ui.overlaySelector
            combo.setProperty("currentIndex", combo.findData(name))
            combo.activated.emit(combo.property("currentIndex"))

        def displayed() -> bool:
            return at_rest() and not display._steps.running and not display._surfaceSteps.running

        def compared() -> bool:
            return bool(panel.compareSection._logic.isShown) and not panel.compareSection._steps.running

        def reveal() -> None:
            from NoisyLabelSegLib.scene.nodes import Role
            from NoisyLabelSegLib.scene.segments import fillSegmentation

            node = panel.case.folder.find(Role.DRAWING)
            drawn = panel.case.labels()["annotator1"]
            fillSegmentation(node, drawn, panel.case.geometry, panel.case.classes[1:], [(1.0, 1.0, 0.0)])
            panel.practiceSection.onReveal()

        def predict() -> None:
            truth._prediction._folder = _Folder(folder / "prediction")
            truth._steps.run(truth._prediction.loading(), large=True)

        return [
            ("open the study", lambda: panel.opening.openPath(study), opened),
            ("estimate the truth", truth._ui.estimateButton.click, estimated),
            ("review everybody", annotators.review, reviewed),
            ("select an annotator", lambda: table.selectRow(3), at_rest),
            ("next error", annotators._ui.nextButton.click, at_rest),
            ("one view each", lambda: annotators._ui.oneViewEachBox.setChecked(True), at_rest),
            ("estimate at once", lambda: truth._ui.liveBox.setChecked(True), at_rest),
            ("untick an annotator", lambda: panel.case.use("annotator0", used=False), at_rest),
            ("show how sure it is", lambda: truth._ui.confidenceBox.setChecked(True), at_rest),
            ("agreement map", lambda: overlay("agreement"), displayed),
            ("disagreement map", lambda: overlay("disagreement"), displayed),
            ("errors again", lambda: overlay("errors"), displayed),
            ("errors as outlines", lambda: display._ui.filledBox.setChecked(False), displayed),
            ("another error by its row", lambda: annotators._ui.mistakesTable.selectRow(2), displayed),
            ("signed distance in 3D", lambda: display._ui.surfaceBox.setChecked(True), displayed),
            ("no signed distance", lambda: display._ui.surfaceBox.setChecked(False), displayed),
            ("two references", panel.compareSection._ui.compareButton.click, compared),
            ("back from two references", panel.compareSection._ui.compareBackButton.click, displayed),
            ("draw first", lambda: panel.practice.draw(), displayed),
            ("reveal", reveal, lambda: not panel.practiceSection.running),
            ("write the scene for a training", train._ui.trainButton.click, lambda: train._job._job is not None),
            ("cancel the training", train._ui.trainButton.click, lambda: not train._job.running),
            ("load a prediction", predict, at_rest),
        ]


class _Folder:
    """Stands for the temporary folder of a prediction, whose files are there already."""

    def __init__(self, path: Path) -> None:
        self.name = str(path)

    def cleanup(self) -> None:
        """The files belong to somebody else."""


def written_study(folder: Path) -> Path:
    """The study file of a case of 512 x 512 x 200 voxels that five annotators outlined."""
    random = np.random.default_rng(0)
    truth, labels = draw_lesions(random)
    image = (200 * truth + random.integers(0, 100, truth.shape, dtype=np.int16)).astype(np.int16)
    write_image(folder / "image.nrrd", Image(image, GRID))
    for name, array in labels.items():
        write_labels(folder / f"{name}.nrrd", array, GRID)
    annotations = {name: Annotation(folder / f"{name}.nrrd") for name in labels}
    case = Case("large", (folder / "image.nrrd",), annotations, classes=2)
    return Study("large", ("background", "lesion"), tuple(labels), (case,)).write(folder, force=True)


def _write_prediction(folder: Path) -> None:
    """What a worker leaves: the truth, its probabilities, and one annotator's expected errors."""
    answer = folder / "output" / "large"
    probability = np.zeros((3, *GRID.shape), dtype=np.float32)
    probability[:, 50:150, 200:300, 200:300] = 0.75
    write_labels(answer / "truth.nrrd", probability[0] > 0, GRID, compressed=False)
    write_components(
        answer / "truth_probability.nrrd", np.stack([1 - probability[0], probability[0]]), GRID, compressed=False
    )
    write_components(answer / "expected_annotator0.nrrd", probability, GRID, compressed=False)
