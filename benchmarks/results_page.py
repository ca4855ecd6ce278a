"""Updates the tables of docs/results.md from the records of `noisylabelseg bench accuracy`.

python -m benchmarks.results_page docs/results docs/results.md
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.accuracy_protocol import METHODS, PANELS, SIMULATED, plan
from benchmarks.accuracy_records import Records
from benchmarks.accuracy_tables import expert_tables, lidc_table, table
from benchmarks.paired import Paired, comparison
from NoisyLabelSegLib.output import write_text

Record = Mapping[str, Any]
PANEL_NAMES = {"paper": "the paper's", "imperfect": "nobody perfect"}
LABEL_NAMES = {"all": "all labels", "one": "one label"}


def main(words: Sequence[str]) -> int:
    folder, page = Path(words[0]), Path(words[1])
    found = tables(list(Records(folder)))

    def renewed(place: re.Match[str]) -> str:
        return f"{place[1]}\n\n{found[place[2]]}\n\n<!-- end -->"

    text = page.read_text(encoding="utf-8")
    write_text(page, re.sub(r"(<!-- table ([a-z0-9-]+) -->).*?<!-- end -->", renewed, text, flags=re.S), force=True)
    return 0


def tables(records: Sequence[Record]) -> dict[str, str]:
    """Every table of the page by its name."""
    generated = [record for record in records if record["study"] in SIMULATED]
    return {
        "short": _short(generated),
        "front": _front(generated),
        "main": _differences(generated),
        "matrices": _matrices(generated),
        "lidc": lidc_table([record for record in records if record["study"] == "lidc"]),
        **expert_tables(records),
        "missing": _missing(records),
    }


def summary_rows(records: Iterable[Record]) -> list[list[Any]]:
    """Study, panel, labels, method, trainings and mean Dice, for the terminal."""
    rows: dict[tuple[str, ...], list[float]] = {}
    for record in records:
        dice = record.get("dice") or [record.get("dice_readers", float("nan"))]
        if record.get("cases") and isinstance(record["cases"], list):
            dice = [np.mean(case["to_experts"]) for case in record["cases"]]
        key = tuple(record[name] for name in ("study", "panel", "labels", "method"))
        rows.setdefault(key, []).append(float(np.mean(dice)))
    return [[*key, len(values), f"{np.mean(values):.3f}"] for key, values in rows.items()]


def _of(records: Iterable[Record], **wanted: Any) -> list[Record]:
    return [record for record in records if all(record[key] == value for key, value in wanted.items())]


def _groups(records: Sequence[Record]) -> list[tuple[str, str, str, list[Record]]]:
    found = []
    for labels in ("all", "one"):
        for panel in reversed(PANELS):
            for study in SIMULATED:
                if group := _of(records, study=study, panel=panel, labels=labels):
                    found.append((study, panel, labels, group))
    return found


def _compared(records: Sequence[Record]) -> list[tuple[str, str, str, str, Paired]]:
    """Study, panel, labels, method and the difference between the coupled networks and it, of everything measured."""
    rows = []
    for study, panel, labels, group in _groups(records):
        ours = _by_seed(_of(group, method="coupled"))
        for method in METHODS:
            theirs = _by_seed(_of(group, method=method))
            if method != "coupled" and (shared := [seed for seed in ours if seed in theirs]):
                pairs = [np.subtract(ours[seed], theirs[seed]) for seed in shared]
                rows.append((study, panel, labels, method, pairs))
    count = len(rows)
    return [(*row[:4], comparison(row[4], rows=count)) for row in rows]


def _by_seed(records: Sequence[Record]) -> dict[int, list[float]]:
    return {record["seed"]: record["dice"] for record in records}


def _differences(records: Sequence[Record]) -> str:
    compared = {row[:4]: row[4] for row in _compared(records)}
    lines = []
    for study, panel, labels, group in _groups(records):
        for method in METHODS:
            own = _of(group, method=method)
            if not own:
                continue
            found = compared.get((study, panel, labels, method))
            cells = ["–", "–"] if found is None else [found.text(), found.word]
            lines.append(
                [LABEL_NAMES[labels], PANEL_NAMES[panel], study, METHODS[method].title, len(own), _dice(own), *cells]
            )
    columns = ["labels", "panel", "study", "trained on", "seeds", "Dice", "coupled minus this", "coupled is"]
    return table(columns, lines)


def _short(records: Sequence[Record]) -> str:
    """A row for every study, panel and labels: the coupled networks, the labels as they come, the best baseline."""
    columns = ["labels", "panel", "study", "coupled", "majority vote", "best baseline measured", "seeds"]
    return table(columns, _short_lines(records))


def _front(records: Sequence[Record]) -> str:
    """One row for each study, of panels in which nobody is perfect, for README; means alone."""
    found: dict[str, dict[str, list[Any]]] = {}
    for labels, panel, study, ours, majority, best, seeds in _short_lines(records):
        if panel != PANEL_NAMES["paper"]:
            found.setdefault(study, {})[labels] = [ours.split(" ")[0], majority, best, seeds]
    lines = []
    for study, parts in found.items():
        everybody, one = (parts.get(name, ["–", "–", "–", 0]) for name in LABEL_NAMES.values())
        seeds = ", ".join(dict.fromkeys(str(part[3]) for part in (everybody, one)))
        lines.append([study, *everybody[:3], *one[:2], seeds])
    columns = ["study", "all labels: coupled", "majority vote", "best baseline measured"]
    return table([*columns, "one label: coupled", "labels as they are", "seeds"], lines)


def _short_lines(records: Sequence[Record]) -> list[list[Any]]:
    lines = []
    compared = {row[:4]: row[4] for row in _compared(records)}
    for study, panel, labels, group in _groups(records):
        seeds = set.intersection(*(set(_by_seed(_of(group, method=name))) for name in ("coupled", "majority")))
        if not seeds:
            continue
        group = [record for record in group if record["seed"] in seeds]
        own = _of(group, method="coupled")
        others = {
            method: np.mean([np.mean(record["dice"]) for record in _of(group, method=method)])
            for method in METHODS
            if method not in ("coupled", "truth", "oracle-cm") and set(_by_seed(_of(group, method=method))) == seeds
        }
        best = max(others, key=lambda method: others[method])
        against = [compared[study, panel, labels, method] for method in ("majority", best)]
        lines.append(
            [
                LABEL_NAMES[labels],
                PANEL_NAMES[panel],
                study,
                _dice(own),
                f"{others['majority']:.3f} ({against[0].word})",
                f"{others[best]:.3f}, {METHODS[best].title.split(';')[0]} ({against[1].word})",
                len(own),
            ]
        )
    return lines


def _matrices(records: Sequence[Record]) -> str:
    lines = []
    for study, panel, labels, group in _groups(records):
        with_matrices = [record for record in group if "matrices" in record]
        for method in METHODS:
            own = _of(with_matrices, method=method)
            if own:
                cells = [_mean(own, "matrices", name) for name in ("cm_rmse", "cm_rmse_column")]
                identity = [_mean(own, "identity", name) for name in ("cm_rmse", "cm_rmse_column")]
                title = METHODS[method].title
                lines.append([LABEL_NAMES[labels], PANEL_NAMES[panel], study, title, len(own), *cells, *identity])
    columns = ["labels", "panel", "study", "matrices of", "seeds", "cm_rmse", "cm_rmse_column"]
    return table([*columns, "identity: cm_rmse", "identity: cm_rmse_column"], lines)


def _missing(records: Sequence[Record]) -> str:
    """How many trainings of the protocol are measured, by study."""
    keys = {
        "/".join(str(record[name]) for name in ("study", "panel", "labels", "method", "seed")) for record in records
    }
    runs = list(dict.fromkeys(plan()))
    lines = []
    for study in dict.fromkeys(item.study for item in runs):
        own = [item for item in runs if item.study == study]
        missing = [item for item in own if item.key not in keys]
        methods = ", ".join(dict.fromkeys(item.method for item in missing)) or "–"
        lines.append([study, f"{len(own) - len(missing)} of {len(own)}", methods])
    return table(["study", "trainings measured", "methods with trainings not run yet"], lines)


def _dice(records: Sequence[Record]) -> str:
    values = [float(np.mean(record["dice"])) for record in records]
    spread = f" ± {np.std(values, ddof=1):.3f}" if len(values) > 1 else ""
    return f"{np.mean(values):.3f}{spread}"


def _mean(records: Sequence[Record], part: str, name: str) -> str:
    return f"{np.mean([record[part][name] for record in records]):.3f}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
