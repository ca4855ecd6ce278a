"""Updates the tables of docs/results.md from the records of `noisylabelseg bench accuracy`."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from benchmarks.accuracy_scores import mean_of
from benchmarks.bench_accuracy import IMAGES, METHODS
from NoisyLabelSegLib.output import write_text

Record = Mapping[str, Any]
CONSENSUS = ((0.0, 0.65, "low (below 65 %)"), (0.65, 0.75, "middle (65-75 %)"), (0.75, 1.01, "high (above 75 %)"))
"""The paper's bands of agreement between the readers, the lowest and highest left open."""


def main(words: Sequence[str]) -> int:
    folder, page = Path(words[0]), Path(words[1])
    records = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*-seed*.json"))]
    found = tables(records)

    def renewed(place: re.Match[str]) -> str:
        return f"{place[1]}\n\n{found[place[2]]}\n\n<!-- end -->"

    text = re.sub(r"(<!-- table ([a-z-]+) -->).*?<!-- end -->", renewed, page.read_text(encoding="utf-8"), flags=re.S)
    write_text(page, text, force=True)
    return 0


def tables(records: Sequence[Record]) -> dict[str, str]:
    """Every table of the page by its name."""
    plain = [record for record in records if all(record[key] is None for key in ("trace", "mean_dice", "images"))]
    found = {}
    for study in ("mnist", "lesions", "tumour", "ms"):
        found[study] = _comparison([record for record in plain if record["study"] == study])
    lidc = [record for record in plain if record["study"] == "lidc"]
    found["lidc"], found["lidc-consensus"] = _lidc(lidc), _by_consensus(lidc)
    found["bubil"] = _own_annotator([record for record in records if record["study"].startswith("bubil")])
    found["lambda"] = _curve([record for record in records if record["trace"] is not None], "trace")
    found["noise"] = _curve([record for record in records if record["mean_dice"] is not None], "mean_dice")
    return found


def _comparison(records: Sequence[Record]) -> str:
    rows = []
    for labels in ("dense", "one"):
        for method in METHODS:
            group = _of(records, labels=labels, method=method)
            if group:
                lead = "–" if method == "coupled" else _lead(_of(records, labels=labels, method="coupled"), group)
                figures = [_figure(group, "dice"), lead]
                figures += [_figure(group, name) for name in ("cm_rmse", "cm_rmse_column")]
                rows.append([labels, method, len(group), *figures, f"{mean_of(group, 'seconds')[0]:.0f}"])
    columns = ["labels", "method", "seeds", "Dice", "coupled is ahead by", "cm_rmse", "cm_rmse_column", "seconds"]
    return _table(columns, rows)


def _lead(coupled: Sequence[Record], others: Sequence[Record]) -> str:
    """The difference in Dice on the same study, labels and held-out cases, over the seeds that both have."""
    ours = {record["seed"]: record["dice"] for record in coupled}
    pairs = [{"lead": ours[other["seed"]] - other["dice"]} for other in others if other["seed"] in ours]
    return _figure(pairs, "lead", "+.3f")


def _lidc(records: Sequence[Record]) -> str:
    rows = []
    for method in METHODS:
        group = _of(records, method=method)
        if group:
            ged = [{"ged": mean_of(record["cases"], "ged")[0]} for record in group]
            rows.append([method, len(group), _figure(group, "dice"), _figure(ged, "ged"), _correlation(group)])
    return _table(["method", "seeds", "Dice to Spatial STAPLE", "GED", "consensus, predicted and real: r (p)"], rows)


def _correlation(group: Sequence[Record]) -> str:
    cases = [case for record in group for case in record["cases"]]
    pairs = np.array([[case["predicted_consensus"], case["consensus"]] for case in cases], dtype=np.float64)
    pairs = pairs[np.isfinite(pairs).all(axis=1)]
    result = stats.pearsonr(pairs[:, 0], pairs[:, 1])
    return f"{result.statistic:.2f} ({_p_value(result.pvalue)})"


def _by_consensus(records: Sequence[Record]) -> str:
    rows = []
    for low, high, band in CONSENSUS:
        row: list[Any] = [band]
        for method in ("coupled", "staple", "majority"):
            cases = [case for record in _of(records, method=method) for case in record["cases"]]
            inside = [case for case in cases if low <= case["consensus"] < high]
            row.append(f"{mean_of(inside, 'dice')[0]:.3f} ({len(inside)})" if inside else "–")
        rows.append(row)
    return _table(["readers agree", "coupled (slices)", "staple", "majority"], rows)


def _own_annotator(records: Sequence[Record]) -> str:
    """Every cell is held out once; the fewer the training images, the less can be known of an expert."""
    rows = []
    for study in ("bubil-smc", "bubil-fib"):
        for images in (*IMAGES, None):
            if group := _of(records, study=study, images=images):
                rows.append([study, images or "all", *_closeness(group)])
    columns = ["cells", "training images", "held-out images", "Dice to the same annotator", "to the others (Wilcoxon)"]
    return _table([*columns, "the others' predictions to this annotator (Wilcoxon)"], rows)


def _closeness(group: Sequence[Record]) -> list[Any]:
    """Dice of an annotator's predicted labels to that annotator and the others, pairs of case and annotator."""
    scores = np.array([case["to_annotators"] for record in group for case in record["cases"]])
    own = np.diagonal(scores, axis1=1, axis2=2)
    cells = [len(own), f"{own.mean():.3f}"]
    for axis in (2, 1):
        others = (scores.sum(axis=axis) - own) / (scores.shape[axis] - 1)
        test = stats.wilcoxon(own.ravel(), others.ravel(), alternative="greater")
        cells.append(f"{others.mean():.3f} ({_p_value(float(test.pvalue))})")
    return cells


def _curve(records: Sequence[Record], by: str) -> str:
    values = sorted({record[by] for record in records})
    methods = [method for method in METHODS if _of(records, method=method)]
    rows = [
        [f"{value:g}", *(_figure(_of(records, method=m, **{by: value}), "dice") for m in methods)] for value in values
    ]
    return _table(["lambda" if by == "trace" else "mean Dice of the annotators", *methods], rows)


def _of(records: Iterable[Record], **wanted: Any) -> list[Record]:
    return [record for record in records if all(record[key] == value for key, value in wanted.items())]


def _figure(group: Sequence[Record], name: str, form: str = ".3f") -> str:
    mean, spread = mean_of(group, name)
    if math.isnan(mean):
        return "–"
    return f"{mean:{form}} ± {spread:.3f}" if len(group) > 1 else f"{mean:{form}}"


def _p_value(p: float) -> str:
    return "p < 0.0001" if p < 1e-4 else f"p = {p:.4f}"


def _table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    if not rows:
        return "*(not measured yet)*"
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
