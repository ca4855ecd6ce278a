"""The tables of docs/results.md on real annotators: experts who are the same persons throughout, and LIDC."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import stats

from benchmarks.accuracy_protocol import EXPERTS, METHODS
from benchmarks.paired import comparison

Record = Mapping[str, Any]


def lidc_table(records: Sequence[Record]) -> str:
    names = ("ged_iou_16", "ged_iou_50", "hm_iou_16", "dice_soft", "dice_max", "dice_match", "crps_volume", "ece")
    lines = []
    for labels in ("all", "one"):
        own = [record for record in records if record["labels"] == labels]
        ours = {record["seed"]: record["cases"]["ged_iou_16"] for record in own if record["method"] == "coupled"}
        for method in METHODS:
            group = [record for record in own if record["method"] == method]
            if group:
                cells = [_mean_of(group, name) for name in ("dice_readers", *names)]
                pairs = [
                    np.subtract(record["cases"]["ged_iou_16"], ours[record["seed"]])
                    for record in group
                    if record["seed"] in ours and method != "coupled"
                ]
                lead = comparison(pairs, rows=2 * len(METHODS)).text() if pairs else "–"
                lines.append([labels, METHODS[method].title.split(";")[0], len(group), *cells, lead])
    columns = ["labels", "trained on", "seeds", "Dice to readers", "GED 16", "GED 50", "HM-IoU 16", "Dice_soft"]
    return table([*columns, "Dice_max", "Dice_match", "CRPS", "ECE", "GED 16 minus coupled's"], lines)


def expert_tables(records: Sequence[Record]) -> dict[str, str]:
    found = {}
    for name in EXPERTS:
        own = [record for record in records if record["study"] == name]
        found[f"{name}-own"] = _own(own)
        found[f"{name}-matrices"] = _matrices(own)
        found[f"{name}-dice"] = _dice(own)
    return found


def _cases(records: Sequence[Record], method: str) -> list[Mapping[str, Any]]:
    return [case for record in records if record["method"] == method for case in record["cases"]]


def _own(records: Sequence[Record]) -> str:
    """Each expert's predicted labels against the expert and against the others, paired by image."""
    lines = []
    for method in METHODS:
        cases = [case for case in _cases(records, method) if "said_to_experts" in case]
        if not cases:
            continue
        scores = np.array([case["said_to_experts"] for case in cases])
        experts = scores.shape[1]
        own = np.diagonal(scores, axis1=1, axis2=2)
        others = (scores.sum(axis=2) - own) / (experts - 1)
        for place in range(experts):
            lines.append([METHODS[method].title, place + 1, *_against(own[:, place], others[:, place])])
        lines.append([METHODS[method].title, "all", *_against(own.mean(axis=1), others.mean(axis=1))])
    columns = ["method", "expert", "images", "Dice to the same expert", "to the others", "p (Wilcoxon, one-sided)"]
    return table(columns, lines)


def _against(own: Any, others: Any) -> list[str]:
    p = float(stats.wilcoxon(own, others, alternative="greater").pvalue)
    shown = "< 0.0001" if p < 1e-4 else f"{p:.4f}"
    return [str(len(own)), f"{own.mean():.3f}", f"{others.mean():.3f}", shown]


def _matrices(records: Sequence[Record]) -> str:
    """Sensitivity of each expert for the others' consensus, counted and estimated, and the error of all entries."""
    ours = [record for record in records if record["method"] == "coupled"]
    if not ours:
        return table([], [])
    real = np.array([case["counted"] for record in ours for case in record["cases"]])
    sources = {
        METHODS[method].title: (np.array([case["matrices"] for case in cases]), [case["counted"] for case in cases])
        for method in METHODS
        if (cases := [case for case in _cases(records, method) if "matrices" in case])
    }
    staple = np.array([record["staple"] for record in ours for _ in record["cases"]])
    sources["STAPLE of the training images"] = (staple, list(real))
    sources["identity"] = (np.broadcast_to(np.eye(2), real.shape), list(real))
    lines = [["counted on held-out images", len(real), *_sensitivities(real), "–"]]
    for title, (found, own) in sources.items():
        lines.append(
            [title, len(found), *_sensitivities(found), f"{np.sqrt(((found - np.array(own)) ** 2).mean()):.3f}"]
        )
    experts = [f"sensitivity of expert {number}" for number in range(1, real.shape[1] + 1)]
    return table(["matrices", "images", *experts, "RMSE of all entries"], lines)


def _sensitivities(matrices: Any) -> list[str]:
    return [f"{value:.2f}" for value in np.asarray(matrices)[:, :, 1, 1].mean(axis=0)]


def _dice(records: Sequence[Record]) -> str:
    """Dice of p to the experts, mean over the experts of each held-out image."""
    lines = []
    ours = {case["id"]: np.mean(case["to_experts"]) for case in _cases(records, "coupled")}
    for method in METHODS:
        cases = _cases(records, method)
        if cases:
            scores = np.array([np.mean(case["to_experts"]) for case in cases])
            pairs = np.array([ours[case["id"]] for case in cases]) - scores if method != "coupled" else None
            lead = "–" if pairs is None else comparison([pairs], rows=len(METHODS)).text()
            lines.append([METHODS[method].title, len(cases), f"{scores.mean():.3f}", lead])
    return table(["trained on", "images", "Dice to the experts", "coupled minus this"], lines)


def _mean_of(records: Sequence[Record], name: str) -> str:
    values = [record[name] for record in records]
    return f"{np.mean(values):.1f}" if name == "crps_volume" else f"{np.mean(values):.3f}"


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    if not rows:
        return "*(not run yet)*"
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)
