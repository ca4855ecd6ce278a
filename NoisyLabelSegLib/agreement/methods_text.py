"""A methods paragraph that reports what the GRRAS guideline asks for, with gaps for what only the authors know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from NoisyLabelSegLib.agreement.study import StudyAgreement
from NoisyLabelSegLib.agreement.tables import cell, escaped_markdown
from NoisyLabelSegLib.fusion import METHODS
from NoisyLabelSegLib.resources import resource_path
from NoisyLabelSegLib.words import counted

_EXACT = (
    "; those of the ICC are from the F distribution (McGraw and Wong 1996), "
    "those of Bland-Altman figures from Student's t distribution"
)


def methods_text(agreement: StudyAgreement, content: Mapping[str, Any]) -> str:
    """Methods and results in sentences; words in square brackets are to be replaced by the authors."""
    template = resource_path("agreement/methods.md").read_text(encoding="utf-8")
    settings = agreement.settings
    readings = sorted({len(case.volumes) for case in agreement.cases})
    return template.format(
        structures=", ".join(map(escaped_markdown, agreement.classes[1:])),
        readers=len(agreement.readers),
        cases=len(agreement.cases),
        patients=len(set(agreement.patients)),
        per_case=str(readings[0]) if len(readings) == 1 else f"{readings[0]} to {readings[-1]}",
        repeats=_repeats(agreement),
        tolerance=f"{settings.tolerance_mm:g}",
        match_iou=f"{settings.match_iou:g}",
        method=METHODS[settings.method].title,
        size=agreement.size_word,
        margin=f"{settings.margin_mm:g}",
        classes=" Figures are means over classes." if len(agreement.classes) > 2 else "",
        resamples=settings.resamples,
        exceptions="" if agreement.clustered else _EXACT,
        version=content["version"],
        results=_results(agreement, content),
    )


def _repeats(agreement: StudyAgreement) -> str:
    if not agreement.repeated:
        return ""
    most = max(agreement.repeated.values())
    number = len(agreement.repeated)
    readers, cases = counted(number, "reader"), counted(most, "case")
    return f" {readers} read up to {cases} again [after how long, and whether they knew]."


def _results(agreement: StudyAgreement, content: Mapping[str, Any]) -> str:
    if not content["pairs"]:
        found = content["within_readers"]["overall"]
        return f"The mean Dice within readers was {cell(found, 'dice', 3)}."
    length = agreement.length_unit
    overall, region = content["overall"], content["kappa"]["region"]
    sentences = [
        f"The mean Dice between readers was {cell(overall, 'dice', 3)}.",
        f"The surface Dice was {cell(overall, 'surface_dice', 3)}.",
        f"HD95 was {cell(overall, 'hd95', 2)} {length} and ASSD {cell(overall, 'assd', 2)} {length}.",
    ]
    if content["icc_2_1"]["value"] is not None:
        value, cases = cell(content, "icc_2_1", 3), content["icc_2_1"]["cases"]
        limits = f"{cell(content, 'loam', None)} {agreement.unit}"
        sentences.append(f"ICC(2,1) of {agreement.size_word} was {value} over {counted(cases, 'case')}.")
        sentences.append(f"The limits of agreement with the mean were ± {limits}.")
    if region["fleiss"]["value"] is not None:
        fleiss, alpha = cell(region, "fleiss", 3), cell(region, "krippendorff", 3)
        sentences.append(f"Fleiss' kappa was {fleiss} and Krippendorff's alpha {alpha}.")
    if content["within_readers"]:
        within = content["within_readers"]["overall"]
        sentences.append(f"Within readers the mean Dice was {cell(within, 'dice', 3)}.")
    return " ".join([*sentences, *content["remarks"]])
