"""What the annotators were compared with: how it was made, from whose labels, and whether it was signed off."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.cases.estimates import ANNOTATORS_JSON, COMBINATION_JSON
from NoisyLabelSegLib.decisions import Decisions
from NoisyLabelSegLib.decisions.record import EDITED
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion import METHODS
from NoisyLabelSegLib.json_checks import read_json
from NoisyLabelSegLib.review.truths import OWN_TRUTH

WITH_LABELS = "A trained model together with the annotators' labels"


@dataclass(frozen=True)
class Reference:
    """Where the reference comes from, as far as study and files tell.

    `key` is the name that `--truth` has for it, empty for a folder. `annotators` are those whose labels it was made
    from, `edited` the number of `cases` in which someone edited it, `signed_off` the number that someone signed off.
    """

    key: str = ""
    methods: tuple[str, ...] = ()
    annotators: tuple[str, ...] = ()
    cases: int = 0
    edited: int = 0
    signed_off: int = 0
    signed_off_by: tuple[str, ...] = ()
    decided_by: tuple[str, ...] = ()


def describe_reference(truth: str, study: Study) -> Reference:
    """What is known about a folder of truths, a fusion method, or the truth that the study names."""
    if truth == OWN_TRUTH:
        return _of_study(study)
    if truth in METHODS:
        return Reference(truth, (METHODS[truth].title,), study.annotators, len(study.cases))
    return _of_folder(Path(truth), study)


def _of_study(study: Study) -> Reference:
    known = [case.provenance for case in study.cases if case.truth_source is not None]
    signed = [origin["signed_off_by"] for origin in known if origin.get("signed_off_by")]
    return Reference(
        OWN_TRUTH,
        tuple(dict.fromkeys(str(origin["method"]) for origin in known if origin.get("method"))),
        tuple(dict.fromkeys(name for origin in known for name in origin.get("annotators", ()))),
        len(known),
        sum(bool(origin.get("edited")) for origin in known),
        len(signed),
        tuple(dict.fromkeys(map(str, signed))),
    )


def _of_folder(folder: Path, study: Study) -> Reference:
    """A folder that `fuse`, `adjudicate` or `predict --labels` wrote says so; any other says nothing about itself."""
    cases = sum((folder / case.id).is_dir() for case in study.cases)
    with suppress(UserError):
        decisions = Decisions.read(folder / "decisions.json")
        edited = {decision.case for decision in decisions.decisions if decision.choice == EDITED}
        deciders = tuple(dict.fromkeys(each.by for each in decisions.decisions if each.by and each.choice))
        method = f"adjudicated {decisions.method}".strip()
        names = decisions.annotators or study.annotators
        return Reference("", (method,), tuple(names), cases, len(edited), decided_by=deciders)
    with suppress(UserError):
        content = read_json(folder / ANNOTATORS_JSON)
        fused_by = content.get("method") if isinstance(content, dict) else None
        if isinstance(fused_by, str) and fused_by in METHODS:
            entries = [entry for entry in _listed(content.get("annotators")) if isinstance(entry, dict)]
            known = tuple(dict.fromkeys(str(entry.get("annotator")) for entry in entries))
            return Reference("", (METHODS[fused_by].title,), known, cases)
    with suppress(UserError):
        content = read_json(folder / COMBINATION_JSON)
        used = content.get("cases") if isinstance(content, dict) else None
        if isinstance(used, dict):
            entries = [entry for entry in used.values() if isinstance(entry, dict)]
            known = tuple(dict.fromkeys(str(name) for entry in entries for name in _listed(entry.get("annotators"))))
            return Reference("", (WITH_LABELS,), known, cases)
    return Reference("", cases=cases)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
