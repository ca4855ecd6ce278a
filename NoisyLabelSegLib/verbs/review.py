"""review: every annotator against a truth, with error maps, tables, suggestions and a report."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.progress import Report, Say
from NoisyLabelSegLib.verbs.settings import VerbSettings, missing, used


@dataclass(frozen=True, kw_only=True)
class ReviewSettings(VerbSettings):
    """Compares every annotator of a study with a truth."""

    verb: ClassVar[str] = "review"
    study: str
    truth: str = ""
    """A folder of truths, the name of a fusion method that makes them (the default one if empty), or `study` for the
    study's own."""
    options: Mapping[str, float] = field(default_factory=dict)
    """What a review can be told to do differently: sizes, shares and counts by name."""
    costs: Mapping[str, float] = field(default_factory=dict)
    """What a label by an annotator costs; 1 if it is not said."""
    identify: bool = False
    """Whether the reports may name study and cases."""
    case: str = ""
    """Only this case; a study of one case may call it by the name of the folder that holds its truth."""
    pseudonyms: bool = False
    """Whether each annotator's own report hides the names of all others."""
    keep_going: bool = False
    """Whether cases with unusable files are left out instead of ending the work."""
    truth_name: str = ""
    """Where the truth comes from, in the words of whoever asks; empty for those that follow from `truth`."""

    def problems(self) -> list[str]:
        found = [] if self.study else ["Choose a study."]
        return [*found, *super().problems(), *used(self), *missing("study", self.study)]

    def run(self, report: Report, say: Say) -> dict[str, Any]:
        return review_result(self, written_review(self, report), say)


def written_review(settings: ReviewSettings, report: Report, run: Any = map) -> Any:
    """Reviews and returns the StudyReview; `run` is a map that may work on several cases at once."""
    from NoisyLabelSegLib.cases import Study
    from NoisyLabelSegLib.fusion import DEFAULT
    from NoisyLabelSegLib.review import write_review

    study = Study.read(settings.study)
    return write_review(
        study.only_case(settings.case) if settings.case else study,
        settings.truth or DEFAULT,
        settings.out,
        settings=_options(settings.options),
        costs=settings.costs,
        identify=settings.identify,
        pseudonyms=settings.pseudonyms,
        truth_name=settings.truth_name,
        force=settings.force,
        run=run,
        keep_going=settings.keep_going,
        report=report,
    )


def review_result(settings: ReviewSettings, review: Any, say: Say) -> dict[str, Any]:
    """Says what was found, and returns what review answers."""
    from NoisyLabelSegLib.review import annotator_sentence, suggestion_sentence

    if review.left_out:
        several = len(review.left_out) > 1
        cases = f"{len(review.left_out)} cases have" if several else "One case has"
        say(f"{cases} no truth and {'were' if several else 'was'} left out.")
    summaries = [summary for name in review.annotators if (summary := review.overall(name)) is not None]
    sentences = [annotator_sentence(summary, review.settings) for summary in summaries]
    advice = [suggestion_sentence(item, item.case, review.regions[item.case]) for item in review.suggestions[:1]]
    remarks = [review.reliability] if review.reliability else []
    for sentence in [*sentences, *remarks, *advice]:
        say(sentence)
    return {
        "out": settings.out,
        "cases": review.reviewed,
        "mistakes": len(review.mistakes),
        "sentences": sentences,
        "reliability": review.reliability,
        "advice": advice,
        "failed": [failure.case for failure in review.failed],
    }


def _options(given: Mapping[str, Any]) -> Any:
    """The review's own settings, with what was given by name."""
    from NoisyLabelSegLib.review import ReviewOptions

    defaults = dataclasses.asdict(ReviewOptions())
    for name, value in given.items():
        if name not in defaults:
            raise UserError(f"A review has no option {name!r}", remedy=f"the options are {', '.join(defaults)}")
        if isinstance(defaults[name], int) and not isinstance(value, int):
            raise UserError(f"The option {name} of a review must be a whole number, not {value:g}")
    return ReviewOptions(**given)
