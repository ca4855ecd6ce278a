"""How the cases of one study are fused: each by itself, or with annotators judged over all cases together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from NoisyLabelSegLib.cases import Case, Study
from NoisyLabelSegLib.cases.estimates import ANNOTATORS_JSON
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.failures import Failures
from NoisyLabelSegLib.fusion.annotators import FORMAT
from NoisyLabelSegLib.fusion.leave_one_out import FusedFrom, leave_one_out, leave_one_out_pools
from NoisyLabelSegLib.fusion.methods import ATLAS_METHODS, DEFAULT, METHODS, method_named
from NoisyLabelSegLib.fusion.pool import Pool
from NoisyLabelSegLib.fusion.result import Fusion
from NoisyLabelSegLib.fusion.table import RegisteredImages, VoteTable
from NoisyLabelSegLib.fusion.votes import Votes
from NoisyLabelSegLib.json_checks import read_json
from NoisyLabelSegLib.progress import Map, Report, silent, steps


@dataclass(frozen=True)
class FusionPlan:
    """How a study is fused.

    pooled: whether annotators are judged over all cases together; only methods with `pools` do, the others never.
    confusion: whether each annotator's field of confusion matrices is written too.
    """

    method: str = DEFAULT
    options: Mapping[str, Any] = field(default_factory=dict)
    pooled: bool = True
    confusion: bool = False


@dataclass(frozen=True)
class StudyFuser:
    """Fuses the cases of a study one at a time; small enough to be sent to another process.

    `panel` is the study without its cases; `pool` and `pools` (one per annotator, without that annotator) hold what was
    found over all cases, None where each case is fused by itself.
    """

    panel: Study
    plan: FusionPlan
    pool: Pool | None = None
    pools: tuple[Pool | None, ...] | None = None

    @classmethod
    def prepare(
        cls,
        study: Study,
        plan: FusionPlan | None = None,
        *,
        run: Map = map,
        report: Report = silent,
        failures: Failures | None = None,
    ) -> StudyFuser:
        """Reads the labels of all cases once where the method judges annotators over all of them, else reads nothing.

        `run` is a map that may work on several cases at once; `failures` says what to do about unusable cases.
        """
        failures = failures or Failures()
        plan, panel = plan or FusionPlan(), replace(study, cases=())
        method = method_named(plan.method)
        labeled = [case for case in study.cases if set(case.annotators) & set(study.annotators)]
        if not (plan.pooled and method.pools and len(labeled) > 1):
            return cls(panel, plan)
        counted = run(failures.guard(partial(_count, cls(panel, plan))), labeled)
        tables = failures.sift(steps(counted, "count votes", report, total=len(labeled)))
        first = list(islice(tables, 1)) or failures.without(labeled)  # which refuses: every case has failed
        table = VoteTable.pooled(chain(first, tables))
        pools = leave_one_out_pools(table, method, plan.options)
        return cls(panel, plan, Pool.solve(table, method, plan.options), tuple(pools))

    def votes(self, case: Case) -> Votes:
        """The votes of one case."""
        annotators = self.panel.annotators
        images = None
        if self.plan.method in ATLAS_METHODS and case.images:
            images = RegisteredImages(case.first_channel(), tuple(case.registered_images(annotators)))
        labels = case.all_labels(annotators)
        return Votes(labels, classes=len(self.panel.classes), names=annotators, images=images)

    def fuse(self, votes: Votes) -> Fusion:
        """The fusion of everyone's votes of one case."""
        if self.pool is None:
            return votes.fuse(self.plan.method, **self.plan.options)
        return votes.fused_as(self.pool.part(votes.table))

    def leave_one_out(self, votes: Votes) -> list[Fusion | None]:
        """For each annotator a fusion of the others' votes of one case; see `leave_one_out`."""
        return leave_one_out(votes, self.plan.method, pools=self.pools, **self.plan.options)

    def origin(self, case: Case) -> FusedFrom | None:
        """What the fusion of a case is made from, None for a case that nobody labeled."""
        if not set(case.annotators) & set(self.panel.annotators):
            return None
        votes = self.votes(case)
        return FusedFrom.of(votes, self.leave_one_out(votes))


def stored_fuser(
    folder: Path, study: Study, run: Map = map, report: Report = silent, failures: Failures | None = None
) -> StudyFuser | None:
    """What fused the study's cases into this folder, as its annotators.json says; None where no fusion did."""
    path = folder / ANNOTATORS_JSON
    content = read_json(path) if path.exists() else None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        return None
    method, options, entries = (content.get(key) for key in ("method", "options", "annotators"))
    if not isinstance(method, str) or method not in {*METHODS, *ATLAS_METHODS}:
        return None
    if not isinstance(options, dict) or not isinstance(entries, list) or not isinstance(content.get("pooled"), bool):
        raise UserError("does not say how the truths were fused", file=path, remedy="fuse the study again")
    names = [entry.get("annotator") for entry in entries if isinstance(entry, dict)]
    used = replace(study, annotators=tuple(name for name in study.annotators if name in names))
    plan = FusionPlan(method, options, pooled=content["pooled"])
    if not used.annotators:
        return None
    return StudyFuser.prepare(used, plan, run=run, report=report, failures=failures)


def _count(fuser: StudyFuser, case: Case) -> VoteTable:
    table = fuser.votes(case).table
    return VoteTable(table.votes, table.counts)
