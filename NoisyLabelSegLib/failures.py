"""Cases that fail while the others go on: recorded, left out, and reported at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from NoisyLabelSegLib.errors import UserError


@dataclass(frozen=True)
class Failure:
    """The id of a case and the sentence about what is wrong with it."""

    case: str
    problem: str


@dataclass
class Failures:
    """What went wrong so far. Without `keep_going` the first bad case ends the work, as if this were not here."""

    keep_going: bool = False
    found: list[Failure] = field(default_factory=list)

    def guard(self, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """The function of a case, which then answers with a Failure instead of raising a UserError."""
        return partial(_attempt, function) if self.keep_going else function

    def sift(self, results: Iterable[Any]) -> Iterator[Any]:
        """The results of a guarded function without failures, which are recorded."""
        for result in results:
            if isinstance(result, Failure):
                self.found.append(result)
            else:
                yield result

    def without(self, cases: Iterable[Any]) -> tuple[Any, ...]:
        """The cases that have not failed; refused where none is left."""
        bad = {failure.case for failure in self.found}
        left = tuple(case for case in cases if case.id not in bad)
        if not left and self.found:
            raise UserError(f"Every case failed, the first one because of this: {self.found[0].problem}")
        return left


def _attempt(function: Callable[[Any], Any], case: Any) -> Any:
    try:
        return function(case)
    except UserError as error:
        return Failure(case.id, error.sentence)
