"""The plots of a study's agreement, from its summary."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from NoisyLabelSegLib.agreement.plots import GRAY, Axes, Cell, Dot, Mark, Plot, Stroke, axis, rows
from NoisyLabelSegLib.agreement.series import of_class
from NoisyLabelSegLib.agreement.study import StudyAgreement

MOST_PANELS = 12
"""Pairs that are shown in a plot with a panel or a row per pair; the tables have all of them."""


def plots(agreement: StudyAgreement, content: Mapping[str, Any]) -> list[Plot]:
    """Every plot that the study has figures for; `content` is its summary."""
    made = [_readers(content)]
    if content["pairs"]:
        made += [_heat_map(content), _distributions(agreement, content), _bland_altman(agreement, content)]
    if content["loam"]["value"] is not None:
        made.append(_loam(agreement, content))
    if len(content["consensus_of_groups"]) > 1:
        made.append(_groups(content))
    return made


def _heat_map(content: Mapping[str, Any]) -> Plot:
    names = content["readers"]
    values = {(row["a"], row["b"]): row["dice"] for row in content["pairs"]}
    within = (content["within_readers"] or {"readers": {}})["readers"]
    values |= {(name, name): row["dice"] for name, row in within.items()}
    known = [value for value in values.values() if value is not None]
    low = min(known, default=0.0) - 0.02
    marks = []
    for (a, b), value in values.items():
        if value is None:
            continue
        for one, other in dict.fromkeys([(a, b), (b, a)]):
            shade = (value - low) / max(1 - low, 1e-9)
            marks.append(Cell(names.index(one), -names.index(other), shade, f"{value:.2f}"))
    y_range, y_ticks = rows(names)
    x_ticks = [(place, name if len(name) < 10 else f"{name[:8]}…") for place, name in enumerate(names)]
    side = max(60 * len(names), 180)
    title = "Mean Dice of every pair of readers" + ("; diagonal: within a reader" if within else "")
    x_range = (-0.5, len(names) - 0.5)
    panel = Axes(title, "", "", x_range, y_range, x_ticks, y_ticks, marks, side, side)
    return Plot("pairwise_dice", title, [panel])


def _readers(content: Mapping[str, Any]) -> Plot:
    """Forest plot: every reader against the consensus of the others, then all pairs, then within readers."""
    entries = [(name, row, place) for place, (name, row) in enumerate(content["leave_one_out"].items())]
    if content["pairs"]:
        entries.append(("all pairs of readers", content["overall"], GRAY))
    if content["within_readers"]:
        entries.append(("within readers", content["within_readers"]["overall"], GRAY))
    entries = [entry for entry in entries if entry[1]["dice"] is not None]
    y_range, y_ticks = rows([name for name, _, _ in entries])
    marks: list[Mark] = []
    for place, (_, row, number) in enumerate(entries):
        if row["dice_low"] is not None:
            marks.append(Stroke(row["dice_low"], -place, row["dice_high"], -place, number, width=2.5))
        marks.append(Dot(row["dice"], -place, number, 5))
    ends = [row[key] for _, row, _ in entries for key in ("dice", "dice_low", "dice_high") if row[key] is not None]
    x_range, x_ticks = axis(min(ends, default=0), max(ends, default=1))
    title = "Dice of each reader with the consensus of the others (95 % interval)"
    height = 30 * len(entries) + 20
    return Plot("readers", title, [Axes(title, "Dice", "", x_range, y_range, x_ticks, y_ticks, marks, 440, height)])


def _distributions(agreement: StudyAgreement, content: Mapping[str, Any]) -> Plot:
    """One row per pair: every case, and the quartiles."""
    pairs = [(row["a"], row["b"]) for row in content["pairs"][:MOST_PANELS]]
    marks: list[Mark] = []
    lowest = 1.0
    for place, pair in enumerate(pairs):
        values = [of_class(case.pairs[pair], None).dice for case in agreement.cases if pair in case.pairs]
        lowest = min([lowest, *values])
        for number, value in enumerate(values):
            marks.append(Dot(value, -place + 0.5 * ((number * 0.618) % 1 - 0.5), place, 2))
        first, middle, last = np.percentile(values, [25, 50, 75]).tolist()
        marks.append(Stroke(first, -place, last, -place, GRAY, width=4))
        marks.append(Stroke(middle, -place - 0.3, middle, -place + 0.3, GRAY, width=3))
    y_range, y_ticks = rows([f"{a} – {b}" for a, b in pairs])
    x_range, x_ticks = axis(lowest, 1.0)
    title = "Dice of every case, by pair of readers (bars: quartiles)"
    height = 34 * len(pairs) + 20
    panel = Axes(title, "Dice", "", x_range, y_range, x_ticks, y_ticks, marks, 440, height)
    return Plot("dice_distribution", title, [panel])


def _bland_altman(agreement: StudyAgreement, content: Mapping[str, Any]) -> Plot:
    chosen = content["bland_altman"][:MOST_PANELS]
    means = [x for row in chosen for x, _ in row["points"]]
    heights = [y for row in chosen for _, y in row["points"]]
    heights += [row[key] for row in chosen for key in ("lower", "upper") if row[key] is not None]
    x_range, x_ticks = axis(min(means), max(means))
    y_range, y_ticks = axis(min(heights), max(heights))
    word, unit = agreement.size_word, agreement.unit
    panels = []
    for place, row in enumerate(chosen):
        marks: list[Mark] = [Dot(x, y, place) for x, y in row["points"]]
        for key, dashed in (("bias", False), ("lower", True), ("upper", True)):
            if row[key] is not None:
                marks.append(Stroke(x_range[0], row[key], x_range[1], row[key], GRAY, dashed))
        labels = (f"mean {word} ({unit})", f"difference ({unit})")
        panels.append(
            Axes(f"{row['b']} minus {row['a']}", *labels, x_range, y_range, x_ticks, y_ticks, marks, 300, 220)
        )
    return Plot("bland_altman", f"Bland-Altman plots of {word}: bias and 95 % limits of agreement", panels, 3)


def _loam(agreement: StudyAgreement, content: Mapping[str, Any]) -> Plot:
    """Every reader's difference from the mean of all readers, with the limits of agreement with the mean."""
    marks: list[Mark] = []
    for case in agreement.cases:
        if set(agreement.readers) <= set(case.volumes):
            values = [sum(case.volumes[name][0]) for name in agreement.readers]
            middle = float(np.mean(values))
            marks += [Dot(middle, value - middle, place) for place, value in enumerate(values)]
    dots = [mark for mark in marks if isinstance(mark, Dot)]
    half = content["loam"]["value"]
    x_range, x_ticks = axis(min(dot.x for dot in dots), max(dot.x for dot in dots))
    y_range, y_ticks = axis(min(-half, *(dot.y for dot in dots)), max(half, *(dot.y for dot in dots)))
    marks += [Stroke(x_range[0], end, x_range[1], end, GRAY, dashed=True) for end in (-half, half)]
    marks.append(Stroke(x_range[0], 0, x_range[1], 0))
    word, unit = agreement.size_word, agreement.unit
    title = f"Limits of agreement with the mean of all readers: ±{half:.3g} {unit}"
    legend = list(zip(agreement.readers, itertools.count(), strict=False))[:6]
    labels = (f"mean {word} ({unit})", f"reader minus mean ({unit})")
    panel = Axes(title, *labels, x_range, y_range, x_ticks, y_ticks, marks, 520, 320, legend)
    return Plot("limits_of_agreement_with_mean", title, [panel])


def _groups(content: Mapping[str, Any]) -> Plot:
    """How the consensus gets better with more readers."""
    found: Sequence[Mapping[str, Any]] = content["consensus_of_groups"]
    marks: list[Mark] = []
    for number, key in enumerate(("with_left_out", "with_all")):
        for row in found:
            if row[f"{key}_low"] is not None:
                marks.append(
                    Stroke(row["readers"], row[f"{key}_low"], row["readers"], row[f"{key}_high"], number, width=2)
                )
            marks.append(Dot(row["readers"], row[key], number, 4))
        for one, other in itertools.pairwise(found):
            marks.append(Stroke(one["readers"], one[key], other["readers"], other[key], number))
    heights = [y for mark in marks if isinstance(mark, Stroke) for y in (mark.y1, mark.y2)]
    y_range, y_ticks = axis(min(heights), max(heights))
    x_range = (0.5, len(found) + 0.5)
    x_ticks = [(row["readers"], str(row["readers"])) for row in found]
    title = "Consensus of a group of readers"
    legend = [("with a reader outside the group", 0), ("with the consensus of all", 1)]
    panel = Axes(
        title, "readers in the group", "mean Dice (95 % interval)", x_range, y_range, x_ticks, y_ticks, marks, 460, 280,
        legend,
    )  # fmt: skip
    return Plot("consensus_of_groups", title, [panel])
