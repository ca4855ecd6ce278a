"""The tables of the reports."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Callable, Sequence
from html import escape

import numpy
import scipy
import SimpleITK

from NoisyLabelSegLib import __version__
from NoisyLabelSegLib.metrics.figures import NEAR_MM
from NoisyLabelSegLib.review.compare.mistakes import Mistake
from NoisyLabelSegLib.review.compare.options import MILLIMETERS, ReviewOptions, Units
from NoisyLabelSegLib.review.compare.summary import AnnotatorSummary
from NoisyLabelSegLib.review.report.page import table
from NoisyLabelSegLib.review.report.viewer import Audience, cases_of, contested_errors
from NoisyLabelSegLib.review.sentences import Translate
from NoisyLabelSegLib.review.study import StudyReview

_NOTHING = "–"


def figures_table(review: StudyReview, label: str, _: Translate, *, only: str | None = None) -> str:
    """The main figures of each annotator for one class: the mean over cases, its 95 % interval below."""
    summaries = [
        summary
        for name in review.annotators
        if only in (None, name) and (summary := review.of_class(name, label)) is not None
    ]
    units = summaries[0].units if summaries else Units()
    fused = any("dice_leave_one_out" in summary.figures for summary in summaries)
    columns = [
        _("Annotator"),
        _("Dice"),
        *([_("Dice without own labels")] if fused else []),
        _("Sensitivity"),
        _("Precision"),
        _("Volume bias (%)") if units.size == "mm³" else _("Area bias (%)"),
        _("Missed ({unit})").format(unit=_size_unit(units)),
        _("Too much ({unit})").format(unit=_size_unit(units)),
        _("Boundary bias ({unit})").format(unit=units.length),
        _("HD95 ({unit})").format(unit=units.length),
        _("Objects missed"),
        _("False positive objects"),
    ]
    caption = _("{label}: mean over cases, 95 % interval below").format(label=_(label))
    return table(caption, columns, [_figures_row(summary, fused=fused) for summary in summaries])


def mistakes_table(
    mistakes: Sequence[Mistake],
    called: Callable[[str], str],
    sentences: Callable[[Mistake], str],
    _: Translate,
    *,
    with_annotator: bool,
    of: int | None = None,
) -> str:
    """One line per mistake, largest first."""
    if not mistakes:
        return f"<p>{escape(_('No error is large enough to be listed.'))}</p>"
    columns = [_("Case"), *([_("Annotator")] if with_annotator else []), _("What happened"), _("Place (RAS, mm)")]
    rows = []
    for mistake in mistakes:
        names = [called(mistake.case), *([mistake.annotator] if with_annotator else [])]
        place = ", ".join(f"{value:.1f}" for value in mistake.center_ras)
        rows.append([*map(escape, names), escape(sentences(mistake)), place])
    caption = _("Errors that are very small or shallow are left out; the limits stand at the end of the page.")
    if of is not None and of > len(mistakes):
        caption += " " + _("The {shown} largest of {count} are shown; mistakes.csv has all.").format(
            shown=len(mistakes), count=of
        )
    return table(caption, columns, rows, words=(1, 2) if with_annotator else (1,), sortable=False)


def cases_table(review: StudyReview, audience: Audience, called: Callable[[str], str], _: Translate) -> str:
    """One line per case: how well its annotators match the reference, and where that itself is contested."""
    counts = Counter(mistake.case for mistake in review.mistakes if audience.only in (None, mistake.annotator))
    contested, shares = contested_errors(review), {item.case: item.contested_share for item in review.slices}
    dice: dict[str, list[float]] = {}
    for row in review.statistics:
        if row.label == review.labels[-1] and audience.only in (None, row.annotator):
            dice.setdefault(row.case, []).append(row.dice)
    rows = []
    for place, case in enumerate(cases_of(review, audience)):
        values, share = dice.get(case, []), shares.get(case)
        cells = [
            escape(called(case)),
            *([str(len(values))] if audience.only is None else []),
            f"{sum(values) / len(values):.3f}" if values else _NOTHING,
            *([f"{min(values):.3f}" if values else _NOTHING] if audience.only is None else []),
            str(counts[case]),
            *([str(contested[case])] if audience.only is None else []),
            _NOTHING if share is None else f"{100 * share:.0f} %",
        ]
        mark = ' class="contested"' if contested[case] and audience.only is None else ""
        rows.append(
            f'<tr data-case="{place}"{mark}><th scope="row">{cells[0]}</th>'
            + "".join(f"<td>{cell}</td>" for cell in cells[1:])
            + "</tr>"
        )
    everybody = audience.only is None
    columns = [
        _("Case"),
        *([_("Annotators")] if everybody else []),
        _("Mean Dice") if everybody else _("Dice"),
        *([_("Lowest Dice")] if everybody else []),
        _("Errors"),
        *([_("At contested places")] if everybody else []),
        _("Reference contested"),
    ]
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    caption = _(
        "A place is contested where at least two annotators, and at least a third of those who labeled the case, "
        "differ from the reference. The last column is the share of contested places in all that anyone marked."
    )
    return (
        f'<div class="scroll tall"><table class="sortable cases"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def reference_facts(review: StudyReview, audience: Audience, _: Translate) -> str:
    """What the reference is: how it was made, from whose labels, edited and signed off by whom."""
    reference, unknown = review.reference, _("not recorded")
    names = [audience.called(name) for name in reference.annotators]
    of_cases = _("{count} of 1 case") if reference.cases == 1 else _("{count} of {cases} cases")
    signed = of_cases.format(count=reference.signed_off, cases=reference.cases)
    if reference.signed_off_by:
        signed += f" ({', '.join(map(audience.called, reference.signed_off_by))})"
    facts = {
        _("Reference"): _(review.truth),
        _("Method"): ", ".join(map(_, reference.methods)) or unknown,
        _("Made from the labels of"): ", ".join(names) or unknown,
        _("Edited by hand"): of_cases.format(count=reference.edited, cases=reference.cases),
        _("Signed off"): signed,
    }
    if reference.decided_by:
        facts[_("Disagreements decided by")] = ", ".join(map(audience.called, reference.decided_by))
    entries = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts.items())
    return f'<dl class="settings">{entries}</dl>'


def agreement_table(review: StudyReview, _: Translate) -> str:
    """Mean Dice between every two annotators."""
    rows = []
    for one in review.annotators:
        summary = review.overall(one)
        if summary is not None:
            cells = [summary.agreement.get(other) for other in review.annotators]
            rows.append([escape(one), *(_NOTHING if value is None else f"{value:.3f}" for value in cells)])
    caption = _("Agreement between annotators: mean Dice over the cases that both labeled")
    return table(caption, [_("Annotator"), *review.annotators], rows)


def confusion_table(review: StudyReview, annotator: str, _: Translate) -> str:
    """What the annotator says for each true class, in percent of its voxels."""
    matrix = review.confusion.get(annotator)
    if matrix is None:
        return ""
    rows = [
        [escape(name), *(f"{100 * value:.2f}" for value in matrix[said])] for said, name in enumerate(review.classes)
    ]
    caption = _(
        "Of every 100 voxels of the true class (column), how many were labeled as the class of the row; background "
        "counts within {distance} mm of anything marked"
    ).format(distance=f"{NEAR_MM:g}")
    return table(caption, [_("Labeled as"), *review.classes], rows)


def made_from(review: StudyReview, _: Translate) -> str:
    """The settings and versions that made the report."""
    packages = {package.__name__: str(package.__version__) for package in (numpy, scipy, SimpleITK)}
    facts = {
        _("Compared with"): _(review.truth),
        **_limits(review.settings, review.summaries[0].units if review.summaries else MILLIMETERS, _),
        "NoisyLabelSeg": __version__,
        "Python": platform.python_version(),
        **packages,
    }
    entries = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts.items())
    return f'<h2>{escape(_("How this was made"))}</h2><dl class="settings">{entries}</dl>'


def _limits(settings: ReviewOptions, units: Units, _: Translate) -> dict[str, str]:
    """The settings of the review by what they mean."""
    return {
        _("Smallest error that is listed"): units.of_size(settings.smallest_mistake),
        _("Border errors are listed if deeper than"): units.of_length(settings.smallest_depth),
        _("Smallest object that is counted"): units.of_size(settings.smallest_object),
        _("Two objects are the same if they share"): f"{100 * settings.matching_share:g} %",
        _("Two annotators make the same error if they share"): f"{100 * settings.sharing_share:g} %",
        _("A bias of the border is named if above"): _("{share} of a voxel").format(
            share=f"{settings.border_tolerance:g}"
        ),
        _("Bootstrap samples, seed"): f"{settings.resamples}, {settings.seed}",
    }


def _figures_row(summary: AnnotatorSummary, *, fused: bool) -> list[str]:
    overlap = ("dice", *(["dice_leave_one_out"] if fused else []), "sensitivity", "precision")
    size = 1.0 if summary.units.size == "mm³" else 1000.0
    return [
        escape(summary.annotator),
        *(_figure(summary, name, 3) for name in overlap),
        _figure(summary, "volume_bias_percent", 1, signed=True),
        _figure(summary, "missed_ml", 2 if size == 1 else 0, scale=size),
        _figure(summary, "extra_ml", 2 if size == 1 else 0, scale=size),
        _figure(summary, "boundary_bias_mm", 2, signed=True),
        _figure(summary, "hd95_mm", 1),
        f"{summary.missed_objects} / {summary.objects}",
        str(summary.invented_objects),
    ]


def _figure(summary: AnnotatorSummary, name: str, digits: int, *, signed: bool = False, scale: float = 1.0) -> str:
    figure = summary.figures.get(name)
    if figure is None:
        return _NOTHING
    sign = "+" if signed else ""

    def text(value: float) -> str:
        return f"{value * scale:{sign}.{digits}f}".replace("-", "−")

    if figure.count == 1:
        return text(figure.mean)
    between = " … " if signed else "–"
    return f"{text(figure.mean)}<small>{text(figure.low)}{between}{text(figure.high)}</small>"


def _size_unit(units: Units) -> str:
    return "ml" if units.size == "mm³" else units.size
