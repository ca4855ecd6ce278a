"""The votes of all cases of a study, solved together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.fusion.methods import Method
from NoisyLabelSegLib.fusion.model import Solution, tie_remarks
from NoisyLabelSegLib.fusion.table import VoteTable


@dataclass(frozen=True)
class Pool:
    """The votes (P, R) of all cases and the solution found for them together."""

    votes: NDArray[np.int16]
    found: Solution

    @classmethod
    def solve(cls, table: VoteTable, method: Method, options: Mapping[str, Any]) -> Pool:
        """Runs the method once on the pooled table. How many voxels are tied is said of each case, not of the pool."""
        found, ties = method.solve(table, options), tie_remarks(table)
        return cls(table.votes, replace(found, remarks=tuple(each for each in found.remarks if each not in ties)))

    def part(self, table: VoteTable) -> Solution:
        """The solution of one of the cases: its rows of the pool's, and its own voxels behind the confusion."""
        place = {votes.tobytes(): row for row, votes in enumerate(self.votes)}
        rows = [place[votes.tobytes()] for votes in table.votes]
        posterior = self.found.posterior[rows]
        counts = replace(table, known_values=self.found.values).confusion_counts(posterior)
        remarks = (*tie_remarks(table), *self.found.remarks)
        return replace(
            self.found, posterior=posterior, decided=self.found.decided[rows], counts=counts, remarks=remarks
        )
