"""Agreement of readers: from the scene or a study to a job, and its figures into the scene."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import Any

from slicer.i18n import tr as _

from NoisyLabelSegLib.agreement.plot_files import PLOTS, read_plots
from NoisyLabelSegLib.agreement.plots import Axes
from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.json_checks import read_json
from NoisyLabelSegLib.scene.agreement_nodes import canBePlotted, showAgreementTable, showAxes
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.scene.scene_case import readingFolder, sourcesOf
from NoisyLabelSegLib.verbs.agree import AgreeSettings
from NoisyLabelSegLib.widget.case_logic import CaseLogic
from NoisyLabelSegLib.widget.study_files import isStudy, writeStudy, writingCase
from NoisyLabelSegLib.widget.work import told

SCENE, STUDY = "scene", "study"
FIGURES = ("dice", "surface_dice", "hd95", "assd", "f1")


class AgreementLogic:
    """`rows` are the comparisons of the last measurement, `plots` what can be drawn of it; both empty before."""

    def __init__(self, scene: Any, case: CaseLogic, openedStudy: Callable[[], Study | None] = lambda: None) -> None:
        self._scene, self._case, self._openedStudy = scene, case, openedStudy
        self._files: tempfile.TemporaryDirectory[str] | None = None
        self.rows: list[dict[str, Any]] = []
        self.plots: dict[str, Axes] = {}
        self.sentences: list[str] = []

    def problem(self, source: str, study: str) -> str:
        """Why nothing can be compared now, as a sentence; empty when it can."""
        problem: str = ""
        if source == STUDY and not isStudy(study):
            problem = _("Choose a study.json, or the folder that holds it.")
        elif source == SCENE and len(self._case.annotators if self._case.isOpen else ()) < 2:
            problem = _("Open a case with two annotators or more, or choose a study.")
        return problem

    def preparing(self, source: str, study: str, toleranceMm: float) -> Generator[str, None, AgreeSettings]:
        """What the worker is to do; writes the cases of the scene to files where these are compared."""
        self.forget()
        self._files = tempfile.TemporaryDirectory(prefix="noisylabelseg-agree-", ignore_cleanup_errors=True)
        place = Path(self._files.name)
        file = Path(study) if source == STUDY else (yield from self._writtenScene(place / "study"))
        return AgreeSettings(study=str(file), out=str(place / "agreement"), tolerance=toleranceMm)

    def take(self, folder: str) -> None:
        """Reads what the worker has found and shows it as a table node; forget() removes the files."""
        content = read_json(Path(folder) / "agreement.json")
        self.rows, self.sentences = _rows(content), _sentences(content)
        named = [(axes.title, axes) for plot in read_plots(Path(folder) / "figures" / PLOTS) for axes in plot.panels]
        self.plots = {title: axes for title, axes in named if canBePlotted(axes)}
        showAgreementTable(self._scene, self.rows)

    def chart(self, title: str) -> Any:
        """The chart node of one of the plots."""
        return showAxes(self._scene, self.plots[title])

    def openedStudyFile(self) -> str:
        """The path of the study that is open, where it has a file; else empty."""
        study = self._openedStudy()
        file = None if study is None else study.folder / "study.json"
        return str(file) if file is not None and file.is_file() else ""

    def forget(self) -> None:
        """Removes temporary files; safe to call at any time."""
        if self._files is not None:
            self._files.cleanup()
            self._files = None

    def clear(self) -> None:
        """Forgets the figures, too: the scene goes away."""
        self.forget()
        self.rows, self.plots, self.sentences = [], {}, []

    def _writtenScene(self, place: Path) -> Generator[str, None, Path]:
        cases, classes = [], self._case.classes
        for folder in CaseFolder.all(self._scene):
            if not folder.nodes(Role.IMAGE) or len(sourcesOf(folder)) < 2:
                continue
            saying = _("Writing {case} for the comparison...").format(case=folder.case)
            found = yield from told(saying, readingFolder(folder, classes=classes))
            cases.append((yield from told(saying, writingCase(found.case, place))))
        if not cases:
            raise UserError("No case of the scene has two annotators", remedy="open one, or choose a study")
        return writeStudy(cases, place, name="scene", classes=classes)


def _rows(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Pairs of readers, each reader against the consensus of the others, and repeated readings."""
    found = [({"a": row["a"], "b": row["b"], "kind": "pair"}, row) for row in content["pairs"]]
    for name, row in content["leave_one_out"].items():
        found.append(({"a": name, "b": "", "kind": "consensus"}, row))
    for name, row in (content["within_readers"] or {"readers": {}})["readers"].items():
        found.append(({"a": name, "b": name, "kind": "repeat"}, row))
    return [
        {
            **who,
            "cases": row["cases"],
            **{key: row[key] for name in FIGURES for key in (name, f"{name}_low", f"{name}_high") if key in row},
        }
        for who, row in found
        if row["cases"]
    ]


def _sentences(content: Mapping[str, Any]) -> list[str]:
    """The figures over all readers, and what limits them."""
    sentences = []
    for key, template in (
        ("icc_2_1", _("ICC(2,1) of volume: {value}")),
        ("icc_3_1", _("ICC(3,1) of volume: {value}")),
        ("loam", _("Limits of agreement with the mean of all readers: ± {value} {unit}")),
    ):
        figure = content[key]
        if figure["value"] is not None:
            words = f"{figure['value']:.3g}"
            if figure["low"] is not None:
                words = _("{value} ({low} to {high})").format(
                    value=words, low=f"{figure['low']:.3g}", high=f"{figure['high']:.3g}"
                )
            sentences.append(template.format(value=words, unit=content["unit"]) + ".")
    return [*sentences, *content["remarks"]]
