"""Makes the truth of the open case the final one: in the study it came from, and in the scene."""

from __future__ import annotations

from collections.abc import Generator

from slicer.i18n import tr as _

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.decisions.study import sign_off_case
from NoisyLabelSegLib.widget.adjudication_logic import AdjudicationLogic
from NoisyLabelSegLib.widget.case_logic import CaseLogic


def signOff(case: CaseLogic, logic: AdjudicationLogic, study: Study | None) -> Generator[str, None, str]:
    """Writes the truth into the study, where the case is from one on the disk; returns what was done in a sentence."""
    session, folder = logic.session, case.folder
    assert session is not None
    yield _("Signing off...")
    if study is None or study.name != folder.study or not (study.folder / "study.json").is_file():
        yield from logic.signingOff()
        return str(_("Signed off in the scene: save or export it."))
    labels, provenance = session.truth(), logic.provenance().entry()
    yield _("Writing the truth into the study...")
    edited = session.edited if session.is_edited else None
    written = sign_off_case(study.folder, folder.case, labels, provenance, session.record(), edited)
    yield from logic.signingOff()
    names = ", ".join(path.relative_to(study.folder).as_posix() for path in written)
    return str(_("Signed off: the study {study} names the truth ({names}).").format(study=study.name, names=names))
