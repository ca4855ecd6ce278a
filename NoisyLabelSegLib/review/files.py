"""The review as a folder: error maps per case, tables, the list of mistakes, suggestions and the reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from NoisyLabelSegLib import __version__
from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.cases.estimates import require_apart
from NoisyLabelSegLib.cases.finished_cases import remembering, run_key
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.failures import Failures
from NoisyLabelSegLib.fusion import METHODS
from NoisyLabelSegLib.output import FINISHED, csv_text, output_folder, write_text
from NoisyLabelSegLib.progress import Map, Report, silent
from NoisyLabelSegLib.review.compare.options import ReviewOptions
from NoisyLabelSegLib.review.reference import describe_reference
from NoisyLabelSegLib.review.report.pages import annotator_report, report_names, study_report
from NoisyLabelSegLib.review.sentences import (
    Translate,
    annotator_sentence,
    in_english,
    mistake_sentences,
    suggestion_sentence,
    trend_sentence,
)
from NoisyLabelSegLib.review.study import StudyReview, review_study
from NoisyLabelSegLib.review.tables import (
    MISTAKE_COLUMNS,
    SUGGESTION_COLUMNS,
    json_text,
    mistake_row,
    statistics_row,
    suggestion_row,
    summary_entry,
)
from NoisyLabelSegLib.review.truths import OWN_TRUTH, truth_source

FORMAT = "noisylabelseg-review/1"


def write_review(
    study: Study,
    truth: str,
    out: str | Path,
    *,
    settings: ReviewOptions | None = None,
    costs: Mapping[str, float] | None = None,
    identify: bool = False,
    pseudonyms: bool = False,
    force: bool = False,
    translate: Translate = in_english,
    truth_name: str = "",
    run: Map = map,
    keep_going: bool = False,
    report: Report = silent,
) -> StudyReview:
    """Reviews a study against a folder of truths, a fusion method or its own truth, and writes everything to `out`.

    `pseudonyms` hides the names of all others from each annotator's own report.
    `run` is a map that may work on several cases at once. With `keep_going`, cases with unusable files are left out
    instead of ending the work. A run that was killed or interrupted is gone on with by the same one.
    """
    settings = settings or ReviewOptions()
    _refuse_bad_settings(study, settings, costs or {})
    failures = Failures(keep_going)
    if not keep_going:
        study.require_files()
    made = Path(truth) if truth not in METHODS and Path(truth).is_dir() else None
    require_apart(study.cases, out)
    key = run_key(study, "review", truth, settings, costs, keep_going, folder=made)
    with output_folder(out, force=force, key=key) as folder:
        run = remembering(run, folder / FINISHED)
        source = truth_source(truth, study, report, run=run, failures=failures)
        review = review_study(
            study,
            source,
            folder,
            truth_name=truth_name or _in_words(truth),
            settings=settings,
            costs=costs,
            reference=describe_reference(truth, study),
            run=run,
            failures=failures,
            report=report,
        )
        _write_tables(folder, review, translate)
        write_text(folder / "report.html", study_report(review, identify=identify, translate=translate))
        for annotator, file in report_names(review.annotators).items():
            if review.overall(annotator) is not None:
                text = annotator_report(
                    review, annotator, identify=identify, pseudonyms=pseudonyms, translate=translate
                )
                write_text(folder / file, text)
    return review


def _refuse_bad_settings(study: Study, settings: ReviewOptions, costs: Mapping[str, float]) -> None:
    problems = settings.problems()
    if problems:
        raise UserError(f"These settings cannot be used: {problems[0]}")
    for name, cost in costs.items():
        if name not in study.annotators:
            raise UserError(
                f"There is no annotator {name!r} to give a cost to", remedy=f"choose from {', '.join(study.annotators)}"
            )
        if not 0 < cost < float("inf"):
            raise UserError(f"The cost of {name} is {cost:g}", remedy="give a number above 0")


def _in_words(truth: str) -> str:
    """What the report says about the truth; a folder's path could name a patient, so it is not shown."""
    if truth == OWN_TRUTH:
        return "the truth that the study names"
    return f"{METHODS[truth].title} of all annotators' labels" if truth in METHODS else "a folder of estimated truths"


def _write_tables(folder: Path, review: StudyReview, translate: Translate) -> None:
    numbers = {case: number for number, case in enumerate(review.cases, start=1)}

    def numbered(row: dict[str, Any]) -> dict[str, Any]:
        return {"case_number": numbers[row["case"]], **row}

    statistics = [numbered(statistics_row(row)) for row in review.statistics]
    mistakes = [numbered(mistake_row(item, mistake_sentences(item, translate))) for item in review.mistakes]
    suggestions = []
    for rank, item in enumerate(review.suggestions, start=1):
        regions = review.regions[item.case]
        sentence = suggestion_sentence(item, item.case, regions, translate)
        suggestions.append(numbered(suggestion_row(item, rank, regions, sentence)))
    write_text(folder / "statistics.csv", csv_text(statistics))
    write_text(folder / "mistakes.csv", csv_text(mistakes, ("case_number", *MISTAKE_COLUMNS)))
    write_text(folder / "suggestions.csv", csv_text(suggestions, ("case_number", *SUGGESTION_COLUMNS)))
    write_text(folder / "statistics.json", json_text(_statistics_json(review, statistics, translate)))
    write_text(folder / "mistakes.json", json_text({"format": FORMAT, "mistakes": mistakes}))


def _statistics_json(review: StudyReview, rows: list[dict[str, Any]], translate: Translate) -> dict[str, Any]:
    for entry, row in zip(rows, review.statistics, strict=True):
        entry["agreement"] = dict(row.agreement)
    return {
        "format": FORMAT,
        "version": __version__,
        "study": review.name,
        "truth": review.truth,
        "reliability": review.reliability,
        "settings": asdict(review.settings),
        "classes": list(review.classes),
        "left_out": list(review.left_out),
        "failed": [asdict(failure) for failure in review.failed],
        "annotators": [
            {
                **summary_entry(
                    summary, annotator_sentence(summary, review.settings, translate), trend_sentence(summary, translate)
                ),
                "confusion": review.confusion[summary.annotator].tolist(),
            }
            for summary in review.summaries
        ],
        "cases": rows,
    }
