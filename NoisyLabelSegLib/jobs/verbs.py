"""What each kind of settings makes the library do; the rooms are imported only when their verb is wanted."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.jobs.settings import (
    CompareSettings,
    FuseSettings,
    JobSettings,
    PredictSettings,
    ReviewSettings,
    TrainSettings,
)
from NoisyLabelSegLib.progress import Report

Say = Callable[[str], None]


def perform(settings: JobSettings, report: Report, say: Say) -> dict[str, Any]:
    """Does the job and returns its result; by then everything worth keeping is in the output folder."""
    problems = settings.problems()
    if problems:
        raise UserError(problems[0])
    return carry_out(settings, report, say)


def carry_out(settings: JobSettings, report: Report, say: Say) -> dict[str, Any]:
    """As perform(), but the library itself says what is wrong with the settings, in the words of the command line."""
    try:
        return _VERBS[settings.verb](settings, report, say)
    except ModuleNotFoundError as error:
        raise UserError(
            f"The job {settings.verb} needs the Python package {error.name}, which is not installed",
            remedy="install it; in Slicer, PyTorch comes with the PyTorch extension",
        ) from error


def fused_table(job: FuseSettings, report: Report, say: Say, run: Any = map) -> Any:
    """Fuses and returns the AnnotatorTable; `run` is a map that may work on several cases at once."""
    from NoisyLabelSegLib.fusion.inputs import choose_annotators, study_of
    from NoisyLabelSegLib.fusion.study import Job, fuse_study

    study = study_of([job.study] if job.study else list(job.labels), say)
    study = study.only_split(job.split) if job.split else study
    study = choose_annotators(study, list(job.annotators))
    how = Job(job.method, job.options, pooled=not job.each_case, confusion=job.confusion)
    return fuse_study(study, job.out, how, run=run, force=job.force, report=report)


def fusion_result(job: FuseSettings, table: Any) -> dict[str, Any]:
    """What fuse answers."""
    return {
        "out": job.out,
        "cases": [case.id for case in table.cases],
        "annotators": table.rows(),
        "left_out": table.left_out,
    }


def _fuse(job: FuseSettings, report: Report, say: Say) -> dict[str, Any]:
    table = fused_table(job, report, say)
    for case in table.cases:
        for remark in case.remarks:
            say(f"{case.id}: {remark}")
    return fusion_result(job, table)


def _review(job: ReviewSettings, report: Report, say: Say) -> dict[str, Any]:
    from NoisyLabelSegLib.cases import Study
    from NoisyLabelSegLib.review import ReviewSettings as Options
    from NoisyLabelSegLib.review import annotator_sentence, suggestion_sentence, write_review

    options: dict[str, Any] = dict(job.options)
    defaults = dataclasses.asdict(Options())
    for name, value in options.items():
        if name not in defaults:
            raise UserError(f"A review has no option {name!r}", remedy=f"the options are {', '.join(defaults)}")
        if isinstance(defaults[name], int) and not isinstance(value, int):
            raise UserError(f"The option {name} of a review must be a whole number, not {value:g}")
    review = write_review(
        Study.read(job.study),
        job.truth,
        job.out,
        settings=Options(**options),
        costs=job.costs,
        identify=job.identify,
        force=job.force,
        report=report,
    )
    if review.left_out:
        say(f"{len(review.left_out)} cases have no truth and were left out.")
    summaries = [summary for name in review.annotators if (summary := review.overall(name)) is not None]
    sentences = [annotator_sentence(summary, review.settings) for summary in summaries]
    advice = [suggestion_sentence(item, item.case, review.regions[item.case]) for item in review.suggestions[:1]]
    for sentence in [*sentences, *advice]:
        say(sentence)
    return {
        "out": job.out,
        "cases": len(review.cases) - len(review.left_out),
        "mistakes": len(review.mistakes),
        "sentences": sentences,
        "advice": advice,
    }


def _compare(job: CompareSettings, report: Report, _say: Say) -> dict[str, Any]:
    from NoisyLabelSegLib.output import output_folder
    from NoisyLabelSegLib.review.handover import review_folder

    with output_folder(job.out, force=job.force) as partial:
        review_folder(Path(job.case), partial, report=report)
    return {"out": job.out}


def _train(job: TrainSettings, report: Report, say: Say) -> dict[str, Any]:
    from NoisyLabelSegLib.cases import Study
    from NoisyLabelSegLib.training import train_study

    trained = train_study(
        Study.read(job.study),
        Path(job.out),
        _training_settings(job),
        resume=job.resume,
        force=job.force,
        report=report,
        say=say,
    )
    return {"model": str(trained.package), "metrics": trained.figures, "remarks": list(trained.remarks)}


def _training_settings(job: TrainSettings) -> Any:
    """The training's own settings: a preset and what differs from it, or on resume those of the run."""
    from NoisyLabelSegLib.training.presets import checked, preset, stored_settings
    from NoisyLabelSegLib.training.settings import Settings

    goes_on = job.resume and not job.preset
    base = stored_settings(Path(job.out)) if goes_on else preset(job.preset or "default")
    try:
        return checked(Settings.from_json(job.overrides, base))
    except ValueError as error:
        raise UserError(f"The training settings do not make sense: {error}") from error


def _predict(job: PredictSettings, report: Report, _say: Say) -> dict[str, Any]:
    from NoisyLabelSegLib.inference import predict_cases
    from NoisyLabelSegLib.inference.inputs import cases_of
    from NoisyLabelSegLib.inference.run import Wanted
    from NoisyLabelSegLib.review.error_map import expected_errors

    cases = cases_of([job.study] if job.study else job.images, job.split or None)
    predict_cases(
        job.model,
        cases,
        job.out,
        wanted=Wanted(
            annotators=job.annotators,
            confusion=job.confusion,
            derived={"expected": expected_errors} if job.expected else {},
            compressed=job.compressed,
        ),
        flips=job.flips,
        device=job.device,
        force=job.force,
        report=report,
    )
    return {"out": job.out, "cases": [case.id for case in cases]}


_VERBS: dict[str, Callable[[Any, Report, Say], dict[str, Any]]] = {
    "fuse": _fuse,
    "review": _review,
    "compare": _compare,
    "train": _train,
    "predict": _predict,
}
