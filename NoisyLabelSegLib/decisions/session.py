"""One case while somebody adjudicates it: decisions are made, taken back and merged, and the truth follows."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases.study_rules import file_name_part
from NoisyLabelSegLib.decisions.adjudication import Labels, decided_labels, place_of
from NoisyLabelSegLib.decisions.record import EDITED, Conflict, Decision, Decisions, Region
from NoisyLabelSegLib.decisions.regions import AGREED, Disagreement, Disagreements, describe
from NoisyLabelSegLib.metrics.components import Island, busy_box


@dataclass(frozen=True)
class Stamp:
    """Who decides, and when (ISO date)."""

    by: str
    date: str


@dataclass(frozen=True)
class _Before:
    """What there was before a change. `edited` holds the flat indices that an edit changed and what was there."""

    decided: Mapping[int, Decision]
    conflicts: Mapping[int, Conflict]
    edited: tuple[NDArray[np.intp], Labels] | None = None
    had_edit: bool = True


@dataclass
class Session:
    """The disagreements of a case and what was decided about them so far.

    basis: the record without decisions: reference, annotators, share, digest of the labels.
    decided: region number to the decision about it, AGREED (0) to an edit where all annotators agree.
    edited: the truth as it was edited last, (*shape), or None.
    unmatched: decisions about regions that are no longer there, because labels or reference have changed.
    conflicts: region number to what two adjudicators decided differently.
    """

    case: str
    reference: Labels
    regions: Disagreements
    basis: Decisions
    decided: dict[int, Decision] = field(default_factory=dict)
    edited: Labels | None = None
    unmatched: list[Decision] = field(default_factory=list)
    conflicts: dict[int, Conflict] = field(default_factory=dict)
    _history: list[_Before] = field(default_factory=list)
    _described: dict[int, Disagreement] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.basis = dataclasses.replace(self.basis, decisions=())

    def __len__(self) -> int:
        return len(self.regions)

    def __getitem__(self, number: int) -> Disagreement:
        """The disagreement of this number, from 1, largest first."""
        if number not in self._described:
            self._described[number] = self.regions[number]
        return self._described[number]

    @property
    def edit_file(self) -> str:
        """Where the edited truth lies, relative to the decisions file."""
        return f"edits/{file_name_part(self.case)}.nrrd"

    @property
    def undecided(self) -> list[int]:
        """Regions that nobody has decided about: conflicts first, then by size."""
        left = [number for number in range(1, len(self) + 1) if number not in self.decided]
        return sorted(left, key=lambda number: (number not in self.conflicts, number))

    @property
    def can_undo(self) -> bool:
        return bool(self._history or self.decided)

    @property
    def is_edited(self) -> bool:
        return any(decision.choice == EDITED for decision in self.decided.values())

    def truth(self) -> Labels:
        """The truth (*shape) that follows from the decisions."""
        edits = {self.edit_file: self.edited} if self.edited is not None and self.is_edited else {}
        return decided_labels(self.reference, self.regions, self.decided, edits)

    def record(self, *, whole: bool = False) -> Decisions:
        """The decisions in the order they were made; with `whole` also those about regions that are not there now."""
        kept = [*(self.unmatched if whole else []), *self.decided.values()]
        return dataclasses.replace(self.basis, decisions=tuple(kept))

    def next_undecided(self, after: int = 0) -> int | None:
        """The first undecided region behind this one, else the first of all; None where all are decided."""
        left = self.undecided
        return next((number for number in left if number > after), left[0] if left else None)

    def decide(self, number: int, choice: str, stamp: Stamp, comment: str = "") -> None:
        """Decides about a region; `choice` as in Decision, but edits come by take_edit()."""
        self._remember()
        self._put(number, Decision(self.case, self[number].region, choice, "", "", comment, stamp.by, stamp.date))

    def comment(self, number: int, comment: str) -> None:
        """Changes the comment on a decision that was made."""
        if number in self.decided and self.decided[number].comment != comment:
            self._remember()
            self.decided[number] = dataclasses.replace(self.decided[number], comment=comment)

    def take_edit(self, edited: Labels, stamp: Stamp, comment: str = "") -> list[int]:
        """Takes over a truth (*shape) that was edited by hand: what it changes counts as decided.

        Returns the numbers of the regions it changes, with AGREED (0) for a change where there is no disagreement.
        """
        before = self.truth()
        changed = edited != before
        if not changed.any():
            return []
        inner = self.regions.numbers[changed[self.regions.box]]
        numbers = [int(number) for number in np.unique(inner) if number != AGREED]
        self._remember(edited)
        self.edited = edited.copy()
        for number in numbers:
            self._put(number, self._edit(self[number].region, stamp, comment))
        outside = edited != decided_labels(self.reference, self.regions, {}, {})
        outside[self.regions.box][self.regions.numbers != AGREED] = False
        if not outside.any():
            if self.decided.pop(AGREED, None) is not None:  # somebody has taken the edit there away again
                numbers = [AGREED, *numbers]
        elif changed[outside].any():
            self._put(AGREED, self._edit(self._describe(outside), stamp, comment))
            numbers = [AGREED, *numbers]
        return numbers

    def undo(self) -> None:
        """Takes the last change back; in a session that was loaded, the decision that was made last."""
        if not self._history:
            if self.decided:
                del self.decided[list(self.decided)[-1]]
            return
        before = self._history.pop()
        self.decided, self.conflicts = dict(before.decided), dict(before.conflicts)
        if before.edited is not None and self.edited is not None:
            if before.had_edit:
                indices, values = before.edited
                self.edited.reshape(-1)[indices] = values
            else:
                self.edited = None

    def load(self, decisions: Decisions, edited: Labels | None = None) -> None:
        """Takes over a record of this case, with the edited truth that it names."""
        self.edited = edited
        for decision in decisions.of(self.case):
            number = place_of(decision, self.regions)
            named = not decision.annotator or decision.annotator in self.regions.labels
            if number is None or not named or (decision.choice == EDITED and edited is None):
                self.unmatched.append(decision)
            elif decision.choice == EDITED:
                self._put(number, dataclasses.replace(decision, edit=self.edit_file))
            else:
                self._put(number, decision)

    def merge(self, other: Decisions, edited: Labels | None = None) -> tuple[int, int]:
        """Adds the decisions of another adjudicator about the same labels and reference.

        What only one of the two has decided is taken over; where they decided differently the region is undecided
        again and listed in `conflicts`. Returns how many were added, and how many conflicts there are.
        """
        self.basis.require_same_basis(dataclasses.replace(other, decisions=()))
        theirs = dataclasses.replace(self, decided={}, unmatched=[], conflicts={}, _history=[])
        theirs.load(other, edited)
        truth, added = self.truth(), 0
        for number in theirs.decided:  # the edited truth is this one's, with the other's voxels where they are taken
            if theirs.decided[number].choice == EDITED and number not in self.decided:
                assert edited is not None
                self._copy(number, edited, truth)
        self._remember(truth)
        for number, decision in theirs.decided.items():
            mine = self.decided.get(number)
            if mine is None:
                self.decided[number] = decision
                added += 1
            elif not self._agree(number, mine, decision, edited):
                del self.decided[number]
                self.conflicts[number] = Conflict(mine, decision)
        if self.is_edited:
            self.edited = truth
        self.unmatched += theirs.unmatched
        return added, len(self.conflicts)

    def _agree(self, number: int, mine: Decision, other: Decision, edited: Labels | None) -> bool:
        if mine.choice != other.choice:
            return False
        if mine.choice != EDITED or self.edited is None or edited is None:
            return True
        where = self._where(number)
        return bool((self.edited[where] == edited[where]).all())

    def _copy(self, number: int, source: Labels, target: Labels) -> None:
        where = self._where(number)
        target[where] = source[where]

    def _where(self, number: int) -> NDArray[np.bool_]:
        """The voxels (*shape) of a region, or those that belong to none."""
        where = np.full(self.reference.shape, number == AGREED)
        where[self.regions.box] = self.regions.numbers == number
        return where

    def _edit(self, region: Region, stamp: Stamp, comment: str) -> Decision:
        return Decision(self.case, region, EDITED, self.edit_file, "", comment, stamp.by, stamp.date)

    def _describe(self, mask: NDArray[np.bool_]) -> Region:
        box = busy_box([mask], mask.shape, margin=0)
        return describe(Island(mask[box], tuple(part.start for part in box), mask.shape), self.regions.geometry)

    def _put(self, number: int, decision: Decision) -> None:
        self.decided.pop(number, None)  # the newest one is the last
        self.decided[number] = decision
        self.conflicts.pop(number, None)

    def _remember(self, edited: Labels | None = None) -> None:
        change = None
        if edited is not None:
            old = edited if self.edited is None else self.edited
            indices = np.flatnonzero(old != edited)
            change = indices, old.reshape(-1)[indices]
        self._history.append(_Before(dict(self.decided), dict(self.conflicts), change, self.edited is not None))


def marked_shares(session: Session, number: int, names: Sequence[str]) -> dict[str, tuple[float, int]]:
    """For each annotator which part of a region they marked, and the class that most of it has (0 for background)."""
    place, mask = session.regions.mask(number)
    found = {}
    for name in names:
        values = session.regions.labels[name][place][mask]
        counts = np.bincount(values)
        found[name] = float(np.count_nonzero(values)) / len(values), int(np.argmax(counts))
    return found
