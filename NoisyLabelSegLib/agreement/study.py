"""All cases of a study: what was compared, ready to be summed up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial

from NoisyLabelSegLib.agreement.case import CaseAgreement, compare_case
from NoisyLabelSegLib.agreement.settings import AgreementSettings
from NoisyLabelSegLib.cases import Case, Study
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.failures import Failures
from NoisyLabelSegLib.metrics.resampling import ClusterBootstrap
from NoisyLabelSegLib.progress import Map, Report, silent, steps


@dataclass(frozen=True)
class StudyAgreement:
    """The comparisons of every case that two readers labeled, or one reader twice; `left_out` names the others.

    `summary()` of `agreement.summary` sums them up.
    """

    study: str
    classes: tuple[str, ...]
    readers: tuple[str, ...]
    settings: AgreementSettings
    cases: tuple[CaseAgreement, ...]
    left_out: tuple[str, ...] = ()

    @property
    def patients(self) -> tuple[str, ...]:
        """Whose scan each case is; a case without a patient in the study file counts as a patient of its own."""
        return tuple(case.patient for case in self.cases)

    @property
    def clustered(self) -> bool:
        """Whether any patient has several cases."""
        return len(set(self.patients)) < len(self.cases)

    @property
    def unit(self) -> str:
        """Of volumes, or of areas where every case is a picture."""
        if self.length_unit == "px":
            return "px"
        return "mm²" if all(case.dimension == 2 for case in self.cases) else "ml"

    @property
    def length_unit(self) -> str:
        """Of distances: pixels where every case is a picture without spacing."""
        return "mm" if not self.cases or any(case.in_millimeters for case in self.cases) else "px"

    @property
    def size_word(self) -> str:
        """What the unit measures."""
        return "volume" if self.unit == "ml" else "area"

    @property
    def repeated(self) -> Mapping[str, int]:
        """How many cases each reader read more than once; readers without are absent."""
        counts = {name: sum(name in case.within for case in self.cases) for name in self.readers}
        return {name: count for name, count in counts.items() if count}

    @cached_property
    def bootstrap(self) -> ClusterBootstrap:
        """The bootstrap over patients of this study."""
        return ClusterBootstrap(self.patients, resamples=self.settings.resamples, seed=self.settings.seed)


def agree_study(
    study: Study,
    settings: AgreementSettings | None = None,
    *,
    run: Map = map,
    failures: Failures | None = None,
    report: Report = silent,
) -> StudyAgreement:
    """Compares the readers of every case of a study.

    Parameters
    ----------
    study
        Cases with labels of two readers or more, or repeated readings of one; others are left out.
    settings
        How agreement is measured.
    run
        A map that may work on several cases at once.
    failures
        What to do about unusable cases; without it the first one ends the work.
    report
        Hears how far it is.

    Returns
    -------
    StudyAgreement
        Memory grows with the number of cases and pairs of readers, not with voxels.

    Raises
    ------
    UserError
        If no case has two readings, a file is missing or unusable, or a setting makes no sense.
    """
    settings = settings or AgreementSettings()
    for problem in settings.problems():
        raise UserError(f"These settings cannot be used: {problem}")
    failures = failures or Failures()
    if not failures.keep_going:
        study.require_files()
    chosen = [case for case in study.cases if _readings(study, case) > 1]
    if not chosen:
        raise UserError(
            f"No case of the study {study.name} was read twice, so there is no agreement to measure",
            remedy="add labels of a second reader, or repeated readings",
        )
    compared = run(failures.guard(partial(compare_case, replace(study, cases=()), settings)), chosen)
    cases = tuple(failures.sift(steps(compared, "compare readers", report, total=len(chosen))))
    failures.without(chosen)
    return StudyAgreement(
        study=study.name,
        classes=study.classes,
        readers=study.annotators,
        settings=settings,
        cases=cases,
        left_out=tuple(case.id for case in study.cases if _readings(study, case) < 2),
    )


def _readings(study: Study, case: Case) -> int:
    """How many label images of the study's readers the case has."""
    return sum(1 + len(case.repeats.get(name, ())) for name in case.annotations if name in study.annotators)
