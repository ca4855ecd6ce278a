"""Which case is to be adjudicated next."""

from __future__ import annotations

from NoisyLabelSegLib.scene.decisions_nodes import storedDecisions
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.widget.case_logic import CaseLogic
from NoisyLabelSegLib.widget.opening import Opening


def nextCase(case: CaseLogic, opening: Opening) -> tuple[str, str] | None:
    """Case and study of the first case behind the open one, around the end, that is not decided about; or None."""
    open_, everything = (case.folder.case, case.folder.study), opening.cases()
    place = everything.index(open_) if open_ in everything else -1
    ordered = [*everything[place + 1 :], *everything[: max(place, 0)]]
    return next((each for each in ordered if not _isDone(case, opening, *each)), None)


def _isDone(case: CaseLogic, opening: Opening, id: str, study: str) -> bool:
    stored = storedDecisions(CaseFolder(case.folder.scene, id, study))
    if stored is not None:
        return stored.undecided == 0
    opened = opening.openedStudy()
    if opened is None or opened.name != study:
        return False
    return any(each.id == id and each.provenance.get("signed_off_by") for each in opened.cases)
