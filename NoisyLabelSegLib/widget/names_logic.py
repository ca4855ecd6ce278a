"""Names of annotators and classes, and labels that probably mean the same, which people are asked about."""

from __future__ import annotations

from typing import Any

from slicer.i18n import tr as _

from NoisyLabelSegLib.cases.label_matches import LabelMatch, match_sentence
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.scene.nodes import Role, Tag
from NoisyLabelSegLib.widget.case_logic import CaseLogic


class NamesLogic:
    """Changes the names that the parameter node keeps, and the nodes that they are written on."""

    def __init__(self, case: CaseLogic) -> None:
        self._case = case
        self._parameters: Any = None

    def setParameters(self, parameters: Any) -> None:
        self._parameters = parameters

    @property
    def questions(self) -> tuple[LabelMatch, ...]:
        """Labels that probably mean the same and that nobody has said anything about yet."""
        return self._case.questions

    def question(self) -> str:
        """What is asked, in one sentence; empty where there is nothing to ask."""
        if not self.questions:
            return ""
        classes = self._case.classes
        sentences = "; ".join(match_sentence(match, classes) for match in self.questions)
        return str(_("{sentences}. Do they mean the same?").format(sentences=sentences))

    def match(self) -> None:
        """Takes what was asked about as one class."""
        self._parameters.matches = [*self._parameters.matches, *map(str, self.questions)]
        self._case.refresh()

    def keepApart(self) -> None:
        """Leaves the labels as they are."""
        self._parameters.keptApart = True
        self._case.refresh()

    def classes(self) -> list[tuple[str, int]]:
        """The classes without background, and how many annotators marked each."""
        if not self._case.isOpen or not self._case.isReady:
            return []
        read = self._case.read()
        counts = [sum(label in values for values in read.values.values()) for label in range(len(read.classes))]
        return list(zip(read.classes[1:], counts[1:], strict=True))

    def renameClass(self, place: int, name: str) -> None:
        """Gives the class at this place (background left out) another name."""
        names, name = list(self._case.classes[1:]), name.strip()
        if name == names[place]:
            return
        if not name or name.casefold() in (other.casefold() for other in ("background", *names)):
            raise UserError(_("A class has a name of its own"), remedy=_("choose another name"))
        before = dict(zip(self._parameters.renamedFrom, self._parameters.renamedTo, strict=True))
        first = next((old for old, new in before.items() if new == names[place]), names[place])
        after = {**before, first: name}
        self._parameters.renamedFrom, self._parameters.renamedTo = list(after), list(after.values())
        for node in self._case.folder.nodes(Role.TRUTH, Role.KNOWN_TRUTH):
            id = node.GetSegmentation().GetSegmentIdBySegmentName(names[place])
            if id:
                node.GetSegmentation().GetSegment(id).SetName(name)
        self._case.refresh()

    def renameAnnotator(self, old: str, name: str) -> None:
        """Gives an annotator another name, on all nodes of the case."""
        name = name.strip()
        if name == old:
            return
        if not name or name.casefold() in (other.casefold() for other in self._case.annotators if other != old):
            raise UserError(_("An annotator has a name of their own"), remedy=_("choose another name"))
        place = self._case.annotators.index(old)
        for node in self._case.folder.nodes():
            tag = Tag.read(node)
            if tag is not None and tag.annotator == old:
                Tag(tag.role, tag.case, tag.study, name, tag.label).write(node)
        node, segment = self._parameters.nodes[place], self._parameters.segments[place]
        if segment:
            node.GetSegmentation().GetSegment(segment).SetName(name)
        self._parameters.names = [name if other == old else other for other in self._parameters.names]
        self._parameters.ignored = [name if other == old else other for other in self._parameters.ignored]
        self._parameters.annotator = name if self._parameters.annotator == old else self._parameters.annotator
        self._case.refresh()
