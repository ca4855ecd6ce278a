"""The reports: one page about the whole study, and one page about each annotator for that annotator alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from html import escape
from random import SystemRandom
from urllib.parse import quote

from NoisyLabelSegLib.cases.study_rules import DistinctNames, short_file_name_part
from NoisyLabelSegLib.review.active.suggestions import Suggestion
from NoisyLabelSegLib.review.report.gallery import SlicePicture
from NoisyLabelSegLib.review.report.page import count_legend, error_legend, outline_legend, page
from NoisyLabelSegLib.review.report.pictures import error_figure, outlines_figure
from NoisyLabelSegLib.review.report.plots import Interval, Line, ObjectCounts, count_plot, interval_plot, line_plot
from NoisyLabelSegLib.review.report.tables import (
    agreement_table,
    cases_table,
    confusion_table,
    figures_table,
    made_from,
    mistakes_table,
    reference_facts,
)
from NoisyLabelSegLib.review.report.viewer import Audience, viewer_data, viewer_section
from NoisyLabelSegLib.review.sentences import (
    Translate,
    annotator_sentence,
    class_sentence,
    in_english,
    shows_a_trend,
    suggestion_sentence,
    trend_sentence,
)
from NoisyLabelSegLib.review.study import StudyReview

CaseName = Callable[[str], str]
"""What a case is called: by default its number, because ids are often those of patients."""

_FIGURES_AT_MOST = 40  # pictures of one page, so that a study of many annotators still makes a small file
_COLUMNS_AT_MOST = 7


def case_names(review: StudyReview, template: str, *, identify: bool) -> CaseName:
    """By id where cases may be identified, else by their number in the study file."""
    if identify:
        return lambda case: case
    numbers = {case: number for number, case in enumerate(review.cases, start=1)}
    return lambda case: template.format(number=numbers[case])


def report_names(annotators: Sequence[str]) -> dict[str, str]:
    """The file of each annotator's own report."""
    names = DistinctNames()
    return {name: names.add(f"report_{short_file_name_part(name)}") + ".html" for name in annotators}


def study_report(review: StudyReview, *, identify: bool = False, translate: Translate = in_english) -> str:
    """The page about everyone, as HTML."""
    _, audience = translate, Audience()
    called = case_names(review, _("Case {number}"), identify=identify)
    cases = review.reviewed
    template = "Review of one case" if cases == 1 else "Review of {cases} cases by {annotators} annotators"
    template = "Review of {cases} cases by one annotator" if len(review.annotators) == 1 < cases else template
    title = _(template).format(cases=cases, annotators=len(review.annotators))
    body = [
        f"<h1>{escape(title)}</h1>",
        *_lead(review, identify, _),
        reference_facts(review, audience, _),
        f"<h2>{escape(_('In a sentence each'))}</h2>",
        _findings(review, _),
        *_advice(review, case_names(review, _("case {number}"), identify=identify), _),
        viewer_section(_),
        f"<h2>{escape(_('Cases'))}</h2>",
        cases_table(review, audience, called, _),
        f"<h2>{escape(_('Where they differ most'))}</h2>",
        *_pictures(review, called, _),
        f"<h2>{escape(_('Figures'))}</h2>",
        *(figures_table(review, label, _) for label in review.labels),
        *_plots(review, review.annotators, _),
        agreement_table(review, _),
        f"<h2>{escape(_('The largest errors'))}</h2>",
        mistakes_table(review.mistakes[:10], called, partial(audience.sentences, translate=_), _, with_annotator=True),
        made_from(review, _),
    ]
    data = viewer_data(review, called, audience, identify=identify, translate=_)
    return page(title, body, len(review.annotators), _, data)


def annotator_report(
    review: StudyReview,
    annotator: str,
    *,
    identify: bool = False,
    pseudonyms: bool = False,
    translate: Translate = in_english,
) -> str:
    """The page about one annotator, as HTML; others' labels are not in it, with `pseudonyms` their names neither."""
    _ = translate
    audience = Audience(annotator, _pseudonyms(review, annotator, _) if pseudonyms else None)
    called = case_names(review, _("Case {number}"), identify=identify)
    title = _("Review of {annotator}").format(annotator=annotator)
    own = [mistake for mistake in review.mistakes if mistake.annotator == annotator]
    body = [
        f"<h1>{escape(title)}</h1>",
        *_lead(review, identify, _),
        reference_facts(review, audience, _),
        *([] if pseudonyms else [f'<p><a href="report.html">{escape(_("All annotators"))}</a></p>']),
        _findings(review, _, only=annotator),
        viewer_section(_),
        f"<h2>{escape(_('Cases'))}</h2>",
        cases_table(review, audience, called, _),
        f"<h2>{escape(_('Your worst slices'))}</h2>",
        *_own_pictures(review, annotator, called, _),
        f"<h2>{escape(_('Your errors, largest first'))}</h2>",
        mistakes_table(
            own[:50], called, partial(audience.sentences, translate=_), _, with_annotator=False, of=len(own)
        ),
        f"<h2>{escape(_('Figures'))}</h2>",
        *(figures_table(review, label, _, only=annotator) for label in review.labels),
        *_plots(review, (annotator,), _),
        confusion_table(review, annotator, _),
        made_from(review, _),
    ]
    data = viewer_data(review, called, audience, identify=identify, translate=_)
    return page(title, body, len(review.annotators), _, data)


def _pseudonyms(review: StudyReview, annotator: str, _: Translate) -> dict[str, str]:
    """What the others are called on a page for one annotator, in an order that says nothing about who they are."""
    others = [name for name in review.annotators if name != annotator]
    SystemRandom().shuffle(others)
    template = _("another annotator ({number})")
    return {name: template.format(number=number) for number, name in enumerate(others, start=1)}


def _lead(review: StudyReview, identify: bool, _: Translate) -> Iterator[str]:
    if identify:
        yield f'<p class="lead">{escape(_("Study: {name}").format(name=review.name))}</p>'
    if review.reliability:
        yield f'<p class="lead">{escape(_(review.reliability))}</p>'
    if review.left_out:
        text = _("Cases left out because they have no truth: {count}").format(count=len(review.left_out))
        yield f'<p class="lead">{escape(text)}</p>'
    if review.failed:
        text = _("Cases left out because their files cannot be used: {count}").format(count=len(review.failed))
        yield f'<p class="lead">{escape(text)}</p>'


def _findings(review: StudyReview, _: Translate, *, only: str | None = None) -> str:
    items, files = [], report_names(review.annotators)
    for place, annotator in enumerate(review.annotators):
        summary = review.overall(annotator)
        if summary is None or only not in (None, annotator):
            continue
        sentence = escape(annotator_sentence(summary, review.settings, _))
        clear = only is not None or shows_a_trend(summary)
        details = [trend_sentence(summary, _)] if clear else []
        if len(review.labels) > 1:
            classes = (review.of_class(annotator, label) for label in review.labels[:-1])
            details = [class_sentence(item, review.settings, _) for item in classes if item is not None] + details
        small = "".join(f"<small>{escape(detail)}</small>" for detail in details if detail)
        if only is None:
            link = quote(files[annotator])
            small += f'<small><a href="{link}">{escape(_("Full report of {name}").format(name=annotator))}</a></small>'
        items.append(f'<li class="of{place}">{sentence}{small}</li>')
    return f'<ul class="findings">{"".join(items)}</ul>'


def _advice(review: StudyReview, called: CaseName, _: Translate) -> Iterator[str]:
    best: dict[str, Suggestion] = {}
    for suggestion in review.suggestions:
        if suggestion.doubt and len(best) < 3:
            best.setdefault(suggestion.case, suggestion)
    if best:
        yield f"<h2>{escape(_('Which label to add next'))}</h2>"
        sentences = (suggestion_sentence(item, called(case), review.regions[case], _) for case, item in best.items())
        yield f"<ol>{''.join(f'<li>{escape(sentence)}</li>' for sentence in sentences)}</ol>"


def _pictures(review: StudyReview, called: CaseName, _: Translate) -> Iterator[str]:
    everyone = dict(enumerate(review.annotators))
    yield outline_legend(everyone, _) + error_legend(_, classes=len(review.classes))
    rows = max(1, _FIGURES_AT_MOST // (len(review.annotators) + 1))
    for picture in review.pictures[:rows]:
        place = _place(picture.slice, picture.slices, called(picture.case), _)
        alt = _("{place}: the image with the outlines of the truth and of all annotators.").format(place=place)
        figures = [outlines_figure(picture, everyone, alt=alt, caption=escape(_("All outlines")))]
        for annotator in review.annotators:
            if annotator in picture.labels:
                alt = _("{place}: error map of {annotator} over the image.").format(place=place, annotator=annotator)
                figures.append(error_figure(picture, annotator, alt=alt, caption=escape(annotator)))
        columns = math.ceil(len(figures) / math.ceil(len(figures) / _COLUMNS_AT_MOST))
        yield f'<h3>{escape(place)}</h3><div class="slices" style="--columns:{columns}">{"".join(figures)}</div>'
    if not review.pictures:
        yield f"<p>{escape(_('Nobody differs from the truth anywhere.'))}</p>"


def _own_pictures(review: StudyReview, annotator: str, called: CaseName, _: Translate) -> Iterator[str]:
    pictures = review.pictures_of.get(annotator, ())
    if not pictures:
        yield f"<p>{escape(_('You differ from the truth nowhere.'))}</p>"
        return
    place = review.annotators.index(annotator)
    yield outline_legend({place: annotator}, _) + error_legend(_, classes=len(review.classes))
    pairs = (_pair(picture, annotator, place, called, _) for picture in pictures)
    yield f'<div class="pairs">{"".join(pairs)}</div>'


def _pair(picture: SlicePicture, annotator: str, place: int, called: CaseName, _: Translate) -> str:
    where = _place(picture.slice, picture.slices, called(picture.case), _)
    outlines = _("{place}: the image with the outlines of the truth and of {annotator}.")
    errors = _("{place}: error map of {annotator} over the image.")
    alt, error_alt = (text.format(place=where, annotator=annotator) for text in (outlines, errors))
    return (
        f"<div><h3>{escape(where)}</h3>"
        + outlines_figure(picture, {place: annotator}, alt=alt, caption=escape(_("Outlines")))
        + error_figure(picture, annotator, alt=error_alt, caption=escape(_("Errors")))
        + "</div>"
    )


def _plots(review: StudyReview, annotators: tuple[str, ...], _: Translate) -> Iterator[str]:
    found = [(review.annotators.index(name), summary) for name in annotators if (summary := review.overall(name))]
    biases = [
        Interval(summary.annotator, place, bias.mean, bias.low, bias.high)
        for place, summary in found
        if (bias := summary.figures.get("boundary_bias_mm"))
    ]
    if biases:
        axis = _("inside the border  ←  {unit}  →  outside the border").format(unit=found[0][1].units.length)
        yield f"<h3>{escape(_('Where the border is drawn (mean over cases, 95 % interval)'))}</h3>"
        yield interval_plot(biases, title=_("Boundary bias of each annotator"), axis=axis)
    counts = [
        ObjectCounts(item.annotator, item.objects - item.missed_objects, item.missed_objects, item.invented_objects)
        for place, item in found
    ]
    yield f"<h3>{escape(_('Objects'))}</h3>{count_legend(_)}"
    yield count_plot(counts, title=_("Objects found, missed and invented by each annotator"), axis=_("objects"))
    dated = [(place, item) for place, item in found if item.annotator in review.dated]
    lines = [Line(item.annotator, place, _over_cases(review, item.annotator)) for place, item in dated]
    if max((len(line.values) for line in lines), default=0) > 2:
        yield f"<h3>{escape(_('Dice over the cases, in the order they were drawn'))}</h3>"
        yield line_plot(lines, title=_("Dice of each annotator over the cases"), axis=_("case"))


def _over_cases(review: StudyReview, annotator: str) -> tuple[float, ...]:
    rows = review.statistics
    return tuple(row.dice for row in rows if row.annotator == annotator and row.label == review.labels[-1])


def _place(slice: int, slices: int, case: str, _: Translate) -> str:
    if slices == 1:
        return case
    return _("{case}, slice {slice} of {slices}").format(case=case, slice=slice, slices=slices)
