"""How a truth came about: method, annotators, edits, decisions and sign-off, in words and for files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from NoisyLabelSegLib.decisions.record import EDITED, UNCLEAR, Decisions

FORMAT = "noisylabelseg-truth/1"


@dataclass(frozen=True)
class Provenance:
    """What is known about a truth; dates are ISO dates, what is not known is empty.

    source: where the estimate or reference comes from, in words, such as "STAPLE of the annotators' labels".
    method: the name of the fusion method or of the source. annotators: whose labels it was made from.
    decided_by: who decided about disagreements. decided, disagreements, unclear: how many were decided about, how many
    there are, and how many were found unclear.
    """

    source: str
    method: str = ""
    annotators: tuple[str, ...] = ()
    decided_by: tuple[str, ...] = ()
    decided_on: str = ""
    decided: int = 0
    disagreements: int = 0
    unclear: int = 0
    edited: bool = False
    edited_by: tuple[str, ...] = ()
    edited_on: str = ""
    signed_off_by: str = ""
    signed_off_on: str = ""

    @property
    def is_adjudicated(self) -> bool:
        return self.decided > 0

    def with_decisions(self, decisions: Decisions, case: str, disagreements: int) -> Provenance:
        """The same truth after the decisions about a case."""
        made = decisions.of(case)
        edits = [decision for decision in made if decision.choice == EDITED]
        return replace(
            self,
            annotators=decisions.annotators or self.annotators,
            decided_by=tuple(dict.fromkeys(decision.by for decision in made if decision.by)),
            decided_on=max((decision.date for decision in made), default=""),
            decided=len(made),
            disagreements=disagreements,
            unclear=sum(decision.choice == UNCLEAR for decision in made),
            edited=self.edited or bool(edits),
            edited_by=tuple(dict.fromkeys([*self.edited_by, *(each.by for each in edits if each.by)])),
            edited_on=max([self.edited_on, *(each.date for each in edits)]),
        )

    def sentence(self) -> str:
        """How the truth came about, for a report, a tooltip or the header of a file."""
        parts = [self.source]
        if self.annotators:
            parts[0] += f" ({', '.join(self.annotators)})"
        if self.is_adjudicated:
            unclear = f", {self.unclear} of them unclear" if self.unclear else ""
            made = f"{self.decided} of {self.disagreements} disagreements decided"
            parts.append(f"{made}{_by(self.decided_by, self.decided_on)}{unclear}")
        if self.edited:
            parts.append(f"edited by hand{_by(self.edited_by, self.edited_on)}")
        if self.signed_off_by:
            parts.append(f"signed off{_by((self.signed_off_by,), self.signed_off_on)}")
        return "; ".join(parts)

    def entry(self) -> dict[str, Any]:
        """What a study says about its truth, beside the file."""
        method = self.method or "reference"
        found: dict[str, Any] = {
            "method": f"adjudicated {method}" if self.is_adjudicated else method,
            "annotators": list(self.annotators),
            "edited": self.edited,
        }
        if self.signed_off_by:
            found |= {"signed_off_by": self.signed_off_by, "date": self.signed_off_on}
        return found

    def content(self, **more: Any) -> Mapping[str, Any]:
        """Everything, for a JSON file beside an exported truth."""
        return {"format": FORMAT, "truth": self.sentence(), **more, **asdict(self)}


def _by(names: tuple[str, ...], day: str) -> str:
    return (f" by {' and '.join(names)}" if names else "") + (f" on {day}" if day else "")
