"""The part of a report that needs scripts: scrolling through slices, the list of all errors, and grades of them."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from NoisyLabelSegLib.fusion import METHODS
from NoisyLabelSegLib.review.compare.mistakes import Mistake, MistakeKind
from NoisyLabelSegLib.review.report.page import ANNOTATORS, color_table
from NoisyLabelSegLib.review.report.slices import CaseSlices, is_contested
from NoisyLabelSegLib.review.sentences import Translate, mistake_sentences
from NoisyLabelSegLib.review.study import StudyReview

MOST_ERRORS = 20_000
"""Of one page, so that a study with many small components still makes a page that opens."""

GRADES = {"agree": "Agree", "disagree": "Disagree", "unclear": "Unclear"}


@dataclass(frozen=True)
class Audience:
    """Whom a page is for: `only` one annotator or everybody (None), and what the others are called there."""

    only: str | None = None
    names: Mapping[str, str] | None = None

    def called(self, annotator: str) -> str:
        """The annotator's name or pseudonym."""
        return annotator if self.names is None else self.names.get(annotator, annotator)

    def sentences(self, mistake: Mistake, translate: Translate) -> str:
        """The mistake in words, others under their pseudonyms."""
        others = tuple(map(self.called, mistake.shared_with))
        return mistake_sentences(replace(mistake, shared_with=others), translate)


def viewer_data(
    review: StudyReview, called: Callable[[str], str], audience: Audience, *, identify: bool, translate: Translate
) -> dict[str, Any]:
    """What the script of a page needs to know, as JSON; `called` names a case."""
    _ = translate
    shown = [name for name in review.annotators if audience.only in (None, name)]
    by_case = {item.case: item for item in review.slices}
    cases = cases_of(review, audience)
    colors = color_table(ANNOTATORS)
    fused, units = review.reference.key in METHODS, _units(review)
    places = {case: place for place, case in enumerate(cases)}
    numbers = {case: number for number, case in enumerate(review.cases, start=1)}
    readers = _readers_of_cases(review)
    mistakes = [mistake for mistake in review.mistakes if mistake.annotator in shown][:MOST_ERRORS]
    content = {
        "words": {key: _(template) for key, template in _WORDS.items()},
        "kinds": {kind.value: _(kind.value) for kind in MistakeKind},
        "grades": {key: _(word) for key, word in GRADES.items()},
        "readers": [name if name in shown else None for name in review.annotators],
        "colors": [colors[place % len(colors)].css for place in range(len(review.annotators))],
        "reference": {
            "method": review.reference.key,
            "annotators": list(review.reference.annotators) if fused and audience.names is None else [],
        },
        "cases": [
            {
                "name": called(case),
                "number": numbers[case],
                "id": case if identify else None,
                "unit": units[case],
                "slices": _slices(by_case[case], review.annotators, shown) if case in by_case else None,
            }
            for case in cases
        ],
        "errors": [
            {
                "case": places[mistake.case],
                "reader": review.annotators.index(mistake.annotator),
                **_error(mistake, by_case.get(mistake.case), readers[mistake.case]),
                "sentence": audience.sentences(mistake, _),
            }
            for mistake in mistakes
        ],
    }
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode("utf-8")).hexdigest()
    return {**content, "key": digest[:16]}


def cases_of(review: StudyReview, audience: Audience) -> list[str]:
    """The cases that were compared with a reference, in the study's order; of one annotator those with labels."""
    labeled = {row.case for row in review.statistics if audience.only in (None, row.annotator)}
    return [case for case in review.cases if case in labeled]


def contested_errors(review: StudyReview) -> dict[str, int]:
    """Case to the number of listed errors at which the reference is contested."""
    readers, found = _readers_of_cases(review), dict.fromkeys(review.cases, 0)
    for mistake in review.mistakes:
        found[mistake.case] += is_contested(mistake, readers[mistake.case])
    return found


def _readers_of_cases(review: StudyReview) -> dict[str, int]:
    """Case to the number of annotators who labeled it."""
    pairs = {(row.case, row.annotator) for row in review.statistics}
    found = dict.fromkeys(review.cases, 0)
    for case, _annotator in pairs:
        found[case] += 1
    return found


def _units(review: StudyReview) -> dict[str, str]:
    """Case to the unit of its positions."""
    return {row.case: row.units.length for row in review.statistics}


def _slices(item: CaseSlices, annotators: Sequence[str], shown: Sequence[str]) -> dict[str, Any]:
    labels = {str(annotators.index(name)): _text(item.labels[name]) for name in shown if name in item.labels}
    return {
        "slices": item.slices,
        "of": item.of,
        "rows": item.rows,
        "columns": item.columns,
        "pixel": item.pixel,
        "left": item.left,
        "top": item.top,
        "ras": item.to_ras,
        "image": _text(item.image),
        "tile": item.tile,
        "across": item.across,
        "gray": item.gray,
        "window": item.window,
        "truth": _text(item.truth),
        "labels": labels,
        "contested": _text(item.contested),
    }


def _error(mistake: Mistake, slices: CaseSlices | None, readers: int) -> dict[str, Any]:
    place = None if slices is None else slices.nearest(mistake)
    at = (0.0, 0.0) if slices is None else slices.place(mistake.center_ras)
    return {
        "kind": mistake.kind.value,
        "size": round(mistake.size, 3),
        "sizeText": mistake.units.of_size(mistake.size),
        "depth": round(mistake.depth, 3),
        "depthText": mistake.units.of_length(mistake.depth),
        "slice": -1 if place is None else place,
        "at": [round(value, 2) for value in at],
        "ras": [round(value, 3) + 0.0 for value in mistake.center_ras],
        "voxels": mistake.voxels,
        "bounds": [round(value, 3) + 0.0 for value in mistake.bounds_ras],
        "same": 1 + len(mistake.shared_with),
        "of": readers,
        "contested": is_contested(mistake, readers),
    }


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")


_WORDS = {
    "where": "{case}, slice {slice} of {slices}",
    "whereFlat": "{case}",
    "position": "Pointer at RAS {place} {unit}",
    "window": "Window: level {level}, width {width}",
    "nobody": "Nobody",
    "count": "{count} of {all} errors",
    "more": "Show {count} more",
    "same": "{same} of {of}",
    "contestedMark": "(contested)",
    "errorPlace": "{case}, {reader}, RAS {place} {unit}.",
    "contestedHere": "The reference is contested here: {same} of {of} annotators labeled it like this.",
    "notShown": "No slice of this error is in the file.",
    "graded": "{count} of {all} errors graded.",
    "gradedUnsaved": "{count} of {all} errors graded, not saved yet.",
    "close": "Close",
}


def viewer_section(_: Translate) -> str:
    """The controls, hidden until the script shows them."""
    text = {key: escape(_(word)) for key, word in _CONTROLS.items()}
    heads = "".join(
        f'<th scope="col" data-key="{key}"><button type="button" class="link">{text[key]}</button></th>'
        for key in ("case", "reader", "kind", "size", "depth", "same", "grade")
    )
    graded = "".join(
        f'<button type="button" data-grade="{key}" aria-pressed="false">{escape(_(word))} <kbd>{number}</kbd></button>'
        for number, (key, word) in enumerate(GRADES.items(), start=1)
    )
    return _SECTION.format(**text, heads=heads, graded=graded)


_CONTROLS = {
    "title": "Look through the cases",
    "keys": "Keys: n next error, p previous error, up and down arrows slices, [ and ] cases, o overlays, e enlarge, "
    "1 agree, 2 disagree, 3 unclear, c comment.",
    "old": "This browser is too old to scroll through slices; pictures, tables and figures are complete.",
    "case": "Case",
    "reader": "Annotator",
    "kind": "Kind",
    "size": "Size",
    "depth": "Depth",
    "same": "Labeled like this by",
    "grade": "Grade",
    "all": "All",
    "smallest": "Smallest size (mm³, mm² or px)",
    "contested_only": "Reference contested",
    "ungraded_only": "Not graded yet",
    "previous_case": "Previous case",
    "next_case": "Next case",
    "previous_slice": "Previous slice",
    "next_slice": "Next slice",
    "slice": "Slice",
    "enlarge": "Enlarge",
    "previous": "Previous error",
    "next": "Next error",
    "overlays": "Overlays",
    "truth": "Outline of the reference",
    "contested": "Where the reference is contested",
    "errors_of": "Errors of",
    "outlines": "Outlines of",
    "level": "Level",
    "width": "Width",
    "reset": "Reset window",
    "comment": "Comment",
    "grader": "Your name",
    "save": "Save grades as decisions.json",
    "errors": "All listed errors",
    "filter": "Filters",
}

_SECTION = """<p id="old-browser" hidden>{old}</p>
<section id="work" hidden aria-label="{title}">
<h2>{title}</h2>
<p class="keys">{keys}</p>
<div class="desk">
<div id="viewer">
<div class="bar"><button type="button" id="previous-case" aria-label="{previous_case}">‹</button>
<label>{case} <select id="case"></select></label>
<button type="button" id="next-case" aria-label="{next_case}">›</button>
<button type="button" id="enlarge" aria-pressed="false">{enlarge} <kbd>e</kbd></button></div>
<div id="stage"><canvas id="slice" tabindex="0" role="img"></canvas></div>
<p id="where" aria-live="polite"></p>
<div class="bar"><button type="button" id="previous-slice" aria-label="{previous_slice}">−</button>
<input type="range" id="slices" min="0" max="0" value="0" aria-label="{slice}">
<button type="button" id="next-slice" aria-label="{next_slice}">+</button></div>
<p id="position"></p>
<div class="bar"><label>{level} <input type="range" id="level" min="0" max="255" step="any"></label>
<label>{width} <input type="range" id="width" min="1" max="510" step="any"></label>
<button type="button" id="reset-window">{reset}</button> <span id="window"></span></div>
<div class="bar"><label><input type="checkbox" id="overlays" checked>{overlays} <kbd>o</kbd></label>
<label><input type="checkbox" id="truth" checked>{truth}</label>
<label><input type="checkbox" id="contested">{contested}</label></div>
<div class="bar"><label>{errors_of} <select id="errors-of"></select></label></div>
<fieldset class="bar" id="outlines"><legend>{outlines}</legend></fieldset>
</div>
<div id="side">
<div class="bar"><button type="button" id="previous-error">{previous} <kbd>p</kbd></button>
<button type="button" id="next-error">{next} <kbd>n</kbd></button></div>
<div id="grading" hidden><p id="sentence"></p><p id="error-place"></p>
<div class="bar">{graded}</div>
<div class="bar"><label>{comment} <kbd>c</kbd> <input type="text" id="comment" maxlength="2000"></label></div></div>
<div class="bar"><label>{grader} <input type="text" id="grader" maxlength="120"></label>
<button type="button" id="save" disabled>{save}</button></div>
<p id="graded" aria-live="polite"></p>
<fieldset class="bar filters"><legend>{filter}</legend>
<label>{case} <select id="case-filter"><option value="">{all}</option></select></label>
<label>{reader} <select id="reader-filter"><option value="">{all}</option></select></label>
<label>{kind} <select id="kind-filter"><option value="">{all}</option></select></label>
<label>{smallest} <input type="number" id="size-filter" min="0" step="any" value="0"></label>
<label><input type="checkbox" id="contested-filter">{contested_only}</label>
<label><input type="checkbox" id="ungraded-filter">{ungraded_only}</label></fieldset>
<p id="count" aria-live="polite"></p>
<div id="list"><table id="errors" aria-label="{errors}"><thead><tr>{heads}</tr></thead><tbody></tbody></table>
<button type="button" id="more" hidden></button></div>
</div>
</div>
</section>"""
