"""Error maps of one class, which are made when somebody looks at the class, and only for whoever is looked at."""

from __future__ import annotations

from collections.abc import Iterable

from slicer.i18n import tr as _

from NoisyLabelSegLib.scene.nodes import Role, Tag, removeNodes
from NoisyLabelSegLib.scene.results import ResultNodes
from NoisyLabelSegLib.widget.case_logic import CaseLogic
from NoisyLabelSegLib.widget.truth_logic import TruthLogic
from NoisyLabelSegLib.widget.work import Work, told


class ClassErrors:
    """The scene holds the maps of one class at a time: each is as large as the volume."""

    def __init__(self, case: CaseLogic, truth: TruthLogic) -> None:
        self._case, self._truth = case, truth
        self._made: set[tuple[str, str]] = set()
        """Annotators and classes whose maps follow the labels and the truth as they are."""

    def outdate(self) -> None:
        """The labels or the truth have changed."""
        self._made = set()

    def missing(self, annotators: Iterable[str], label: str) -> list[str]:
        """Those of whom there is no map of this class yet."""
        return [name for name in annotators if label and (name, label) not in self._made]

    def making(self, annotators: Iterable[str], label: str, *, colors: str, correct: bool) -> Work:
        """Makes the maps that are missing, in steps."""
        case = self._case
        for name in self.missing(annotators, label):
            nodes = ResultNodes(case.folder, case.geometry, case.classes)
            labels, number = case.labels()[name], case.classes.index(label)
            work = nodes.showingErrorsOfClass(name, labels, self._truth.truth, number, colors=colors, correct=correct)
            yield from told(_("Comparing {name} with the truth...").format(name=name), work)
            self._made.add((name, label))

    def keepOnly(self, label: str) -> None:
        """Takes the maps of other classes out of the scene; those of all classes together stay."""
        if not self._case.isOpen:
            return
        folder = self._case.folder
        tags = {node: Tag.read(node) for node in folder.nodes(Role.ERRORS)}
        removeNodes(
            folder.scene, [node for node, tag in tags.items() if tag is not None and tag.label not in ("", label)]
        )
        self._made = {(name, made) for name, made in self._made if made == label}
