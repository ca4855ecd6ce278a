"""What the panel says about a disagreement, about the readers and about decisions."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from slicer.i18n import tr as _

from NoisyLabelSegLib.decisions import Decision, Disagreement
from NoisyLabelSegLib.decisions.record import EDITED, ESTIMATE, MAJORITY, UNCLEAR
from NoisyLabelSegLib.decisions.session import Session, marked_shares
from NoisyLabelSegLib.review.compare.options import MILLIMETERS

LETTERS_ON_BUTTON = 16


@dataclass(frozen=True)
class ShownDecisions:
    """The readers and the decisions of a session in words; with `namesHidden` readers are letters."""

    session: Session
    classes: tuple[str, ...]
    namesHidden: bool = False

    def names(self) -> dict[str, str]:
        """How every annotator is called: by name, or by a letter that tells nothing, in an order of the case."""
        real = list(self.session.regions.labels)
        if not self.namesHidden:
            return {name: name for name in real}
        mixed = sorted(real)
        random.Random(f"{self.session.case} {len(real)}").shuffle(mixed)
        return {name: _("Reader {letter}").format(letter=_letter(place)) for place, name in enumerate(mixed)}

    def groups(self, number: int) -> list[tuple[str, str]]:
        """Those with the same labels in a region, as one choice each: the annotator to name, and who they all are."""
        names = self.names()
        groups = [(group[0], ", ".join(sorted(names[name] for name in group))) for group in self.session[number].groups]
        return sorted(groups, key=lambda group: group[1]) if self.namesHidden else groups  # their order tells nothing

    def inTable(self, number: int) -> str:
        """The groups in few letters."""
        names = self.names()
        short = {name: shown.rpartition(" ")[2] if self.namesHidden else shown for name, shown in names.items()}
        groups = [", ".join(sorted(short[name] for name in group)) for group in self.session[number].groups]
        return " | ".join(sorted(groups) if self.namesHidden else groups)

    def choice(self, number: int) -> str:
        """What was decided about a region, in a word or two; empty where nothing was."""
        decision = self.session.decided.get(number)
        return "" if decision is None else self._chosen(decision)

    def conflict(self, number: int) -> str:
        """What two adjudicators decided differently about a region; empty where they did not."""
        conflict = self.session.conflicts.get(number)
        if conflict is None:
            return ""
        words = (f"{each.by or _('unnamed')}: {self._chosen(each)}" for each in (conflict.first, conflict.second))
        return " / ".join(words)

    def marks(self, number: int) -> list[tuple[str, float, str]]:
        """For each group of annotators which part of the region they marked, and as which class."""
        groups = self.groups(number)
        shares = marked_shares(self.session, number, [name for name, _who in groups])
        return [(who, shares[name][0], self.classes[shares[name][1]]) for name, who in groups]

    def _chosen(self, decision: Decision) -> str:
        words = {MAJORITY: _("majority"), ESTIMATE: _("estimate"), EDITED: _("edited"), UNCLEAR: _("unclear")}
        if decision.annotator:
            return self.names().get(decision.annotator, decision.annotator)
        return str(words[decision.choice])


def placeOf(disagreement: Disagreement) -> str:
    """A voxel of the region, in RAS mm as Slicer shows it."""
    return ", ".join(f"{value:.0f}" for value in disagreement.region.center_ras)


def sizeOf(disagreement: Disagreement) -> str:
    return MILLIMETERS.of_size(disagreement.size)


def kindOf(disagreement: Disagreement) -> str:
    return str({"object": _("object"), "border": _("border"), "class": _("class")}[disagreement.kind])


def sentenceOf(disagreement: Disagreement, total: int, undecided: int, marks: Sequence[tuple[str, float, str]]) -> str:
    """Which disagreement it is, where it lies, and who marked how much of it."""
    r, a, s = disagreement.region.center_ras
    what = _kinds()[disagreement.kind]
    head = _("{number} of {total}, {undecided} undecided. {what}: {size} at R {r:.1f}, A {a:.1f}, S {s:.1f} mm.")
    sentences = [
        head.format(
            number=disagreement.number,
            total=total,
            undecided=undecided,
            what=what,
            size=sizeOf(disagreement),
            r=r,
            a=a,
            s=s,
        )
    ]
    for who, share, label in marks:
        if disagreement.kind == "class":
            sentences.append(_("{who}: {label}.").format(who=who, label=label))
        elif share in (0.0, 1.0):
            sentences.append((_("{who}: all of it.") if share else _("{who}: nothing.")).format(who=who))
        else:
            sentences.append(_("{who}: {percent} % of it.").format(who=who, percent=_percent(share)))
    return " ".join(sentences)


def onButton(who: str) -> str:
    """Names that fit on a button; an ampersand would mark a key."""
    short = who if len(who) <= LETTERS_ON_BUTTON else f"{who[: LETTERS_ON_BUTTON - 1]}…"
    return short.replace("&", "&&")


def _percent(share: float) -> int:
    return min(max(round(100 * share), 1), 99)


def _kinds() -> dict[str, str]:
    return {
        "object": _("Whether there is an object"),
        "border": _("Where the border is"),
        "class": _("Of which class it is"),
    }


def _letter(place: int) -> str:
    return chr(ord("A") + place) if place < 26 else str(place + 1)
