"""The public functions on whole studies; each imports the packages that it needs when it is called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from NoisyLabelSegLib.cases import Study
    from NoisyLabelSegLib.fusion.annotators import AnnotatorTable
    from NoisyLabelSegLib.inference import Model
    from NoisyLabelSegLib.review import StudyReview
    from NoisyLabelSegLib.training import Trained


def simulate(
    kind: str,
    out: str | Path,
    *,
    cases: int | None = None,
    size: Sequence[int] | None = None,
    spacing: Sequence[float] | None = None,
    seed: int = 0,
    missing: float | None = 0.0,
    panel: str | None = None,
    force: bool = False,
) -> Study:
    """Writes a study with simulated annotators and a known truth.

    Parameters
    ----------
    kind
        "mnist", "lesions", "tumour" or "nodules".
    out, force
        The folder for `study.json` and its files, and whether those of an earlier study there are replaced.
    cases, size, spacing
        The number of cases, voxels and voxel size in mm, in the order x, y, z; None for the kind's default.
    seed, missing
        The same seed writes the same files. The probability that an annotator did not label a case; None for one label.
    panel
        The name or JSON file of a panel of annotators; None for the kind's default.

    Raises
    ------
    UserError
        If a value makes no sense, or `out` holds files and `force` is False.

    Examples
    --------
    >>> study = simulate("lesions", "lesions", cases=3, size=(40, 40, 6))
    >>> study.annotators
    ('good', 'over', 'under', 'wrong', 'blank')
    >>> study.cases[0].truth().shape
    (6, 40, 40)
    """
    from NoisyLabelSegLib.simulation import SimulationSettings, digits_recipe, phantom_recipe, simulate_study

    settings = SimulationSettings(
        cases=cases,
        size=None if size is None else tuple(size),
        spacing=None if spacing is None else tuple(spacing),
        seed=seed,
        missing=missing,
        panel=panel,
    )
    recipe = digits_recipe(settings) if kind == "mnist" else phantom_recipe(kind, settings)
    return simulate_study(recipe, out, settings, force=force).study


def fuse_study(
    study: Study | str | Path,
    out: str | Path,
    *,
    method: str | None = None,
    only: Sequence[str] = (),
    each_case: bool = False,
    confusion: bool = False,
    force: bool = False,
    **options: Any,
) -> AnnotatorTable:
    """Fuses the labels of every case of a study and writes one folder of estimates.

    Parameters
    ----------
    study
        A study, its `study.json`, or the folder that holds it.
    out, force
        The folder for `<case id>/truth.nrrd`, `truth_probability.nrrd`, `annotators.csv` and `annotators.json`, and
        whether those of an earlier fusion there are replaced.
    method
        A name of `NoisyLabelSegLib.fusion.METHODS`; None for the default.
    only, each_case
        The annotators to use (all if empty), and whether each case is fused by itself instead of over the whole study.
    confusion
        Whether each annotator's confusion field is written, (L, L, *shape) with columns that sum to one.
    **options
        Options of the method, as in docs/fusion.md.

    Returns
    -------
    AnnotatorTable
        The figures of every annotator; `rows()` are dictionaries.

    Raises
    ------
    UserError
        If a file is missing or unusable, nobody labeled a case, or `out` holds files and `force` is False.

    Examples
    --------
    >>> study = simulate("lesions", "lesions", cases=3, size=(40, 40, 6))
    >>> table = fuse_study(study, "fused", method="majority")
    >>> [row["annotator"] for row in table.rows()]
    ['good', 'over', 'under', 'wrong', 'blank']
    """
    from NoisyLabelSegLib.cases.inputs import choose_annotators
    from NoisyLabelSegLib.fusion import DEFAULT
    from NoisyLabelSegLib.fusion import study as studies

    plan = studies.FusionPlan(method or DEFAULT, options, pooled=not each_case, confusion=confusion)
    return studies.fuse_study(choose_annotators(_opened(study), list(only)), out, plan, force=force)


def train(
    study: Study | str | Path,
    out: str | Path,
    *,
    preset: str = "default",
    resume: bool = False,
    force: bool = False,
    **settings: Any,
) -> Trained:
    """Trains the coupled networks, or another learner, on a study; needs PyTorch.

    Parameters
    ----------
    study
        A study, its `study.json`, or its folder; its cases of the splits `train` and `validate`, or all.
    out, force
        The folder for checkpoints, `metrics.jsonl` and `model.nlseg`, and whether a run there is replaced.
    preset, resume
        A preset's name or JSON file, or whether to continue from the checkpoint in `out` with that run's settings.
    **settings
        Settings that differ from the preset's, as in docs/method.md: `epochs=20`, `seed=1`.

    Returns
    -------
    Trained
        `package` is the path of the model package.

    Raises
    ------
    UserError
        If a setting makes no sense, a file is missing or unusable, or `out` holds a run.

    Examples
    --------
    >>> study = simulate("lesions", "lesions", cases=3, size=(40, 40, 6))
    >>> trained = train(study, "run", preset="quick", epochs=1, widths=[4, 8])
    >>> trained.package.name
    'model.nlseg'
    """
    from NoisyLabelSegLib import training
    from NoisyLabelSegLib.training.settings import changed_settings, stored_settings

    chosen = changed_settings(stored_settings(Path(out)) if resume else training.preset(preset), settings)
    return training.train_study(_opened(study), Path(out), chosen, resume=resume, force=force)


def load_model(path: str | Path, device: str = "auto", **options: Any) -> Model:
    """Loads a model package (`*.nlseg`); needs PyTorch.

    Parameters
    ----------
    path
        The package that `train` wrote.
    device, **options
        "auto" (the fastest device there is), "cpu", "cuda" or "mps"; others of `NoisyLabelSegLib.inference.load_model`.

    Returns
    -------
    Model
        `model.predict(image_or_case)` returns an Estimate with `truth` (*shape) uint8, `probabilities`
        (L, *shape) float32, `annotators` and `confusion` by name. With `labels=True`, or annotators' names to labels
        (*shape), the truth is estimated from the image and these labels together.

    Raises
    ------
    UserError
        If the file is not a model package that can be used, or there is no such device.

    Examples
    --------
    >>> import numpy
    >>> from NoisyLabelSegLib.resources import resource_path
    >>> model = load_model(resource_path("models") / "demo-nodules.nlseg", device="cpu")
    >>> scan, drawn = numpy.zeros((32, 32)), numpy.zeros((32, 32), dtype=numpy.uint8)
    >>> model.predict(scan).probabilities.shape
    (2, 32, 32)
    >>> model.predict(scan, labels={"reader1": drawn}).truth.shape
    (32, 32)
    """
    from NoisyLabelSegLib.inference import load_model as load

    return load(path, device, **options)


def review_study(
    study: Study | str | Path,
    truth: str | Path,
    out: str | Path,
    *,
    costs: Mapping[str, float] | None = None,
    identify: bool = False,
    force: bool = False,
    **settings: Any,
) -> StudyReview:
    """Compares every annotator with a truth and writes error maps, tables and reports.

    Parameters
    ----------
    study
        A study, its `study.json`, or the folder that holds it.
    truth
        A folder of estimates, the name of a fusion method, or "study" for the truth that the study names.
    out, force
        The folder for error maps, tables and `report.html`, and whether those of an earlier review are replaced.
    costs
        What a label of an annotator costs, for the suggestions which label to add next; 1 where it is not given.
    identify
        Whether the reports name study and cases, whose names may identify patients.
    **settings
        Fields of `NoisyLabelSegLib.review.ReviewOptions`, such as `smallest_mistake` in mm³.

    Returns
    -------
    StudyReview
        Statistics, mistakes, summaries and suggestions.

    Raises
    ------
    UserError
        If a file is missing or unusable, no case has a truth, or `out` holds files and `force` is False.

    Examples
    --------
    >>> study = simulate("lesions", "lesions", cases=3, size=(40, 40, 6))
    >>> review = review_study(study, "study", "review")
    >>> review.overall("good").figures["dice"].mean
    1.0
    """
    from NoisyLabelSegLib.review import ReviewOptions, write_review

    chosen = ReviewOptions(**settings)
    return write_review(_opened(study), str(truth), out, settings=chosen, costs=costs, identify=identify, force=force)


def evaluate(predictions: str | Path, study: Study | str | Path) -> dict[str, Any]:
    """Scores a folder of estimates against the truth and the labels of a study.

    Parameters
    ----------
    predictions
        The folder that `predict` or `fuse` wrote.
    study
        A study, its `study.json`, or the folder that holds it.

    Returns
    -------
    dict
        The figures of docs/metrics.md by key (`dice`, `cm_rmse`, `ged`, ...), None where one cannot be computed, with
        the reason under `why`; also by case, annotator and class.

    Raises
    ------
    UserError
        If `predictions` holds no estimate of the study's cases, or a file is unusable.

    Examples
    --------
    >>> study = simulate("lesions", "lesions", cases=3, size=(40, 40, 6))
    >>> table = fuse_study(study, "fused", only=["good"], method="majority")
    >>> evaluate("fused", study)["dice"]
    1.0
    """
    from NoisyLabelSegLib.evaluation.scores import evaluate as score
    from NoisyLabelSegLib.evaluation.summary import summary

    return summary(score(predictions, _opened(study)))


def _opened(study: Study | str | Path) -> Study:
    from NoisyLabelSegLib.cases import Study

    return study if isinstance(study, Study) else Study.read(study)
