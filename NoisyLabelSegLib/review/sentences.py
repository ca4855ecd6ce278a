"""What the numbers say in plain sentences; every sentence is one whole template, so that it can be translated."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from NoisyLabelSegLib.metrics.figures import ALL_CLASSES
from NoisyLabelSegLib.review.active.evidence import DoubtfulRegion
from NoisyLabelSegLib.review.active.suggestions import Suggestion
from NoisyLabelSegLib.review.compare.mistakes import Mistake, MistakeKind
from NoisyLabelSegLib.review.compare.options import ReviewOptions
from NoisyLabelSegLib.review.compare.statistics import AnnotatorStatistics
from NoisyLabelSegLib.review.compare.summary import AnnotatorSummary

Translate = Callable[[str], str]

SURPRISING = 0.05
"""A trend is worth a sentence when chance alone would show it less often than this."""


def in_english(template: str) -> str:
    """No translation."""
    return template


def annotator_sentence(
    summary: AnnotatorSummary, settings: ReviewOptions | None = None, translate: Translate = in_english
) -> str:
    """What an annotator tends to get wrong, over one case or many."""
    template = translate(_annotator_template(summary, settings or ReviewOptions()))
    if summary.wrong_class_ml:
        template = f"{template} {translate(_WRONG_CLASS)}"
    return template.format(
        annotator=summary.annotator,
        distance=summary.units.of_length(abs(summary.mean("boundary_bias_mm") or 0.0)),
        apart=summary.units.of_length(summary.mean("surface_distance_mm") or 0.0),
        objects=summary.objects,
        missed=summary.missed_objects,
        largest=summary.units.of_size(summary.largest_missed_mm3 or 0.0),
        invented=summary.invented_objects,
        marked=summary.units.of_size(1000 * summary.marked_ml),
        there=summary.units.of_size(1000 * summary.truth_ml),
        wrong=summary.units.of_size(1000 * summary.wrong_class_ml),
    )


def accuracy_sentences(row: AnnotatorStatistics, translate: Translate = in_english) -> list[str]:
    """Sensitivity and specificity, where they exist."""
    figures = (
        (translate("Sensitivity {share}."), row.sensitivity),
        (translate("Specificity {share}."), row.specificity),
    )
    return [template.format(share=f"{share:.3f}") for template, share in figures if share is not None]


def class_sentence(
    summary: AnnotatorSummary, settings: ReviewOptions | None = None, translate: Translate = in_english
) -> str:
    """The annotator's sentence with the class in front, for studies with several."""
    sentence = annotator_sentence(summary, settings, translate)
    label = translate(ALL_CLASSES) if summary.label == ALL_CLASSES else summary.label
    return translate("{label}: {sentence}").format(label=label, sentence=sentence)


def shows_a_trend(summary: AnnotatorSummary) -> bool:
    """Whether the annotator's Dice rises or falls over the cases by more than chance."""
    trend = summary.trends.get("dice")
    return trend is not None and trend.p < SURPRISING and trend.slope != 0


def trend_sentence(summary: AnnotatorSummary, translate: Translate = in_english) -> str:
    """Whether the annotator is getting better, judged by Dice; empty with too few cases to tell."""
    trend = summary.trends.get("dice")
    if trend is None:
        return ""
    if not shows_a_trend(summary):
        return translate("{annotator} shows no clear trend over {cases} cases.").format(
            annotator=summary.annotator, cases=summary.cases
        )
    better = "{annotator} is getting better: Dice rises by {change} per ten cases."
    worse = "{annotator} is getting worse: Dice falls by {change} per ten cases."
    return translate(better if trend.slope > 0 else worse).format(
        annotator=summary.annotator, change=f"{10 * abs(trend.slope):.2f}"
    )


def mistake_sentences(mistake: Mistake, translate: Translate = in_english) -> str:
    """What the mistake is, where it lies and who else made it."""
    what = translate(_MISTAKE[mistake.kind]).format(
        size=mistake.units.of_size(mistake.size),
        depth=mistake.units.of_length(mistake.depth),
        true_class=mistake.true_class,
        drawn_class=mistake.drawn_class,
    )
    others = (_sharers(mistake, translate), _contested(mistake, translate))
    return " ".join(sentence for sentence in (what, *_place(mistake, translate), *others) if sentence)


def suggestion_sentence(
    suggestion: Suggestion, case: str, regions: Sequence[DoubtfulRegion] = (), translate: Translate = in_english
) -> str:
    """Which annotator should label which case, and why; `regions` are where `case` (its name) is most uncertain."""
    template = _LOOK_AGAIN if suggestion.again else _ASK
    sentence = translate(template if suggestion.doubt else _NO_DOUBT).format(
        annotator=suggestion.annotator,
        case=case,
        doubt=suggestion.units.of_size(suggestion.doubt),
        share=f"{100 * suggestion.share:.0f}",
    )
    if not regions or regions[0].slices == 1:
        return sentence
    return f"{sentence} " + translate("Look near slice {slice} first.").format(slice=regions[0].slice)


def _annotator_template(summary: AnnotatorSummary, settings: ReviewOptions) -> str:
    if summary.fused_from == 1:
        return _OWN_LABELS
    if summary.marked_ml == 0:
        return _BLANK if summary.truth_ml else _RIGHTLY_BLANK
    if summary.truth_ml == 0:
        return _NOTHING_THERE
    if summary.objects and summary.missed_objects == summary.objects:
        return _FOUND_NONE
    if summary.figures["dice"].mean == 1 and summary.fused_from == 2:
        return _ONE_OF_TWO
    if summary.figures["dice"].mean == 1:
        equal = _PERFECT if summary.fused_from is None else _EQUALS_ESTIMATE
        return _RIGHT_PLACES if summary.wrong_class_ml else equal
    missed, invented = summary.missed_objects > 0, summary.invented_objects > 0
    besides = {(False, False): "nothing", (False, True): "invented", (True, False): "missed", (True, True): "both"}
    return _ANNOTATOR[_border(summary, settings)][besides[missed, invented]]


def _border(summary: AnnotatorSummary, settings: ReviewOptions) -> str:
    """`outside` or `inside` where the bias is larger than a part of a voxel and, over cases, more than chance."""
    bias = summary.figures.get("boundary_bias_mm")
    if bias is None:
        return "on"
    by_chance = bias.count >= 3 and bias.low <= 0 <= bias.high
    if by_chance or abs(bias.mean) < settings.border_tolerance * summary.voxel_mm:
        return "on"
    return "outside" if bias.mean > 0 else "inside"


def _place(mistake: Mistake, translate: Translate) -> list[str]:
    sentences = [_SIDES[mistake.side]] if mistake.side else []
    if mistake.slices > 1:
        several = mistake.last_slice > mistake.first_slice
        sentences.append("Slices {first} to {last} of {slices}." if several else "Slice {first} of {slices}.")
    gaps = {"first": mistake.first_slice, "last": mistake.last_slice, "slices": mistake.slices}
    return [translate(sentence).format(**gaps) for sentence in sentences]


def _sharers(mistake: Mistake, translate: Translate) -> str:
    if not mistake.shared_with:
        return ""
    return translate("Made by {others} too.").format(others=", ".join(mistake.shared_with))


def _contested(mistake: Mistake, translate: Translate) -> str:
    """A caution where most annotators differ from the reference alike: it may be the reference that is wrong."""
    if not mistake.is_contested:
        return ""
    count = 1 + len(mistake.shared_with)
    return translate(_CONTESTED[mistake.kind]).format(count=count, readers=mistake.readers)


_BLANK = "{annotator} marks nothing and so missed everything there is to mark ({there})."
_RIGHTLY_BLANK = "{annotator} marks nothing, and there is nothing to mark."
_NOTHING_THERE = "{annotator} marked {marked} where there is nothing to mark."
_FOUND_NONE = "{annotator} found none of the objects to mark ({objects}); false positive objects: {invented}."
_RIGHT_PLACES = "{annotator} marks exactly what is there."
_WRONG_CLASS = "The class is wrong in {wrong}."
_PERFECT = "{annotator} agrees with the reference in every voxel."
_EQUALS_ESTIMATE = "{annotator} agrees in every voxel with the estimated truth, which was fused from these labels, too."
_OWN_LABELS = "{annotator}'s labels are the only ones, so they are the reference and reliability cannot be told."
_ONE_OF_TWO = (
    "The reference fused from two annotators equals {annotator}'s labels; reliability cannot be told from two."
)

# By where the border is drawn, then by what is wrong besides.
_ANNOTATOR = {
    "outside": {
        "nothing": "{annotator} draws {distance} outside the border and finds every object.",
        "invented": "{annotator} draws {distance} outside the border and finds every object; "
        "false positive objects: {invented}.",
        "missed": "{annotator} draws {distance} outside the border and missed {missed} of {objects} objects "
        "(largest {largest}).",
        "both": "{annotator} draws {distance} outside the border and missed {missed} of {objects} objects "
        "(largest {largest}); false positive objects: {invented}.",
    },
    "inside": {
        "nothing": "{annotator} draws {distance} inside the border and finds every object.",
        "invented": "{annotator} draws {distance} inside the border and finds every object; "
        "false positive objects: {invented}.",
        "missed": "{annotator} draws {distance} inside the border and missed {missed} of {objects} objects "
        "(largest {largest}).",
        "both": "{annotator} draws {distance} inside the border and missed {missed} of {objects} objects "
        "(largest {largest}); false positive objects: {invented}.",
    },
    "on": {  # the mean distance says little about the border where whole objects are missing or invented
        "nothing": "{annotator} is {apart} from the border of the reference on average, without drawing too wide or "
        "too tight, and finds every object.",
        "invented": "{annotator} draws the border neither too wide nor too tight and finds every object; "
        "false positive objects: {invented}.",
        "missed": "{annotator} draws the border neither too wide nor too tight, but missed {missed} of {objects} "
        "objects (largest {largest}).",
        "both": "{annotator} draws the border neither too wide nor too tight, but missed {missed} of {objects} "
        "objects (largest {largest}); false positive objects: {invented}.",
    },
}

_MISTAKE = {
    MistakeKind.MISSED: "Missed an object ({true_class}) of {size}.",
    MistakeKind.INVENTED: "Marked an object ({drawn_class}) of {size} that is not there.",
    MistakeKind.TOO_WIDE: "Drew the border of {drawn_class} up to {depth} too wide, {size} too much.",
    MistakeKind.TOO_TIGHT: "Drew the border of {true_class} up to {depth} too tight, leaving out {size}.",
    MistakeKind.HOLE: "Left a hole of {size} in {true_class}.",
    MistakeKind.WRONG_CLASS: "Marked {size} of {true_class} as {drawn_class}.",
}

_MARKED = "{count} of {readers} marked this; check the reference."
_NOT_MARKED = "{count} of {readers} did not mark this; check the reference."
_CONTESTED = {
    MistakeKind.MISSED: _NOT_MARKED,
    MistakeKind.INVENTED: _MARKED,
    MistakeKind.TOO_WIDE: _MARKED,
    MistakeKind.TOO_TIGHT: _NOT_MARKED,
    MistakeKind.HOLE: _NOT_MARKED,
    MistakeKind.WRONG_CLASS: "{count} of {readers} marked another class here; check the reference.",
}

_ASK = "Ask {annotator} to label {case}: this should settle {share} % of the {doubt} in doubt."
_LOOK_AGAIN = "Ask {annotator} to look at {case} again: this should settle up to {share} % of the {doubt} in doubt."
_NO_DOUBT = "Nothing in {case} is in doubt; {annotator} need not label it."

_SIDES = {
    "left": "It lies on the patient's left side of the object.",
    "right": "It lies on the patient's right side of the object.",
    "anterior": "It lies on the front (anterior) side of the object.",
    "posterior": "It lies on the back (posterior) side of the object.",
    "superior": "It lies on the upper (superior) side of the object.",
    "inferior": "It lies on the lower (inferior) side of the object.",
    "picture left": "It lies on the left of the object in the picture.",
    "picture right": "It lies on the right of the object in the picture.",
    "picture top": "It lies at the top of the object in the picture.",
    "picture bottom": "It lies at the bottom of the object in the picture.",
}
