"""Cases that are made only when they are looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar, overload

from NoisyLabelSegLib.cases.case import Case

Entry = TypeVar("Entry")


class LazyCases(Sequence[Case], Generic[Entry]):
    """One case per entry, made by `make` when it is asked for, so that large studies open at once.

    With `keep` each is made once; without, a case that holds its images in memory goes when nobody needs it any more.
    """

    def __init__(self, entries: Sequence[Entry], make: Callable[[Entry], Case], *, keep: bool) -> None:
        self._entries, self._make, self._keep = entries, make, keep
        self._made: dict[int, Case] = {}

    def __len__(self) -> int:
        return len(self._entries)

    @overload
    def __getitem__(self, index: int) -> Case: ...
    @overload
    def __getitem__(self, index: slice) -> list[Case]: ...
    def __getitem__(self, index: int | slice) -> Case | list[Case]:
        if isinstance(index, slice):
            return [self[position] for position in range(*index.indices(len(self)))]
        position = range(len(self))[index]
        if position in self._made:
            return self._made[position]
        case = self._make(self._entries[position])
        if self._keep:
            self._made[position] = case
        return case
