"""How well samples stand for the readers: PHiSeg and a conditioned network beside Probabilistic U-Net and ours."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.accuracy_lidc import nodule_study, score_nodules
from benchmarks.accuracy_protocol import LIDC_WORDS, SEEDS
from benchmarks.paper.outcome import Outcome, plus_minus
from benchmarks.paper.studies import TITLES, Wanted, differences
from benchmarks.paper.trainings import METHODS, QUICK_SAYS, Training, Trainings
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.output import write_text
from NoisyLabelSegLib.progress import steps
from NoisyLabelSegLib.training import preset, train_study

COMPARED = ("phiseg", "conditioned", "agreed", "probabilistic-unet", "default")
SEED = SEEDS[0]
PUBLISHED_GED = {"probabilistic-unet": "0.310", "phiseg": "0.262"}
"""GED with 16 samples on LIDC as collected by Zbinden et al., ICCV 2023; other slices and another split."""
SAYS = (
    "The paper does not measure this. Published: Zbinden et al., ICCV 2023, Table 1, on other slices of LIDC-IDRI.",
    "GED_16: 16 samples, d = 1 - IoU; two empty masks are at 0. The coupled networks draw from annotators in turn.",
)


def run(_name: str, trainings: Trainings) -> Outcome:
    return _quick(trainings) if trainings.quick else _protocol(trainings)


def _quick(trainings: Trainings) -> Outcome:
    rows = []
    wanted = {
        (data_set, method): [Training(Wanted(data_set, "dense", 0, True), method)]
        for data_set in ("ms", "lidc")
        for method in (*COMPARED[:-1], "coupled", "default")
    }
    for (data_set, method), (record,) in trainings.groups(wanted).items():
        figures = [plus_minus([record["dice"]], percent=True), plus_minus([record["ged_iou"]])]
        known = PUBLISHED_GED.get(method, "–") if data_set == "lidc" else "–"
        rows.append([TITLES[data_set], METHODS[method][0], *figures, known])
    columns = ["data", "method", "here: Dice (%)", "here: GED_16", "published: GED_16 (LIDC)"]
    says = [differences(name, quick=True, data=trainings.data) for name in ("ms", "lidc")]
    return Outcome("Samples beside readers", columns, rows, [*says, *SAYS, QUICK_SAYS])


def _protocol(trainings: Trainings) -> Outcome:
    """LIDC by the protocol of `bench accuracy`: the same slices, split, steps and scores."""
    if trainings.data is None:
        raise UserError("LIDC-IDRI is needed for this", remedy="name its folder with --data, or add --quick")
    records = [_lidc(method, trainings) for method in steps(list(COMPARED), "train", trainings.terminal.progress)]
    columns = [
        "method",
        "GED_16",
        "GED_50",
        "HM-IoU_16",
        "Dice_soft",
        "Dice to readers",
        "published: GED_16",
        "seconds",
    ]
    keys = ("ged_iou_16", "ged_iou_50", "hm_iou_16", "dice_soft", "dice_readers")
    rows = [
        [METHODS[method][0], *(f"{record[key]:.4f}" for key in keys), PUBLISHED_GED.get(method, "–"), record["seconds"]]
        for method, record in zip(COMPARED, records, strict=True)
    ]
    slices = records[0]["slices"]
    says = [*SAYS, f"{slices} slices of test patients, one seed, {_steps()} steps each; protocol in docs/results.md."]
    return Outcome("Samples beside readers, LIDC-IDRI", columns, rows, says)


def _words(method: str) -> Sequence[str]:
    return (*LIDC_WORDS, *METHODS[method][1], f"seed={SEED}", "device=cpu")


def _steps() -> int:
    settings = preset("default").with_words(LIDC_WORDS)
    return settings.epochs * -(-settings.samples // settings.batch)


def _lidc(method: str, trainings: Trainings) -> dict[str, Any]:
    file = trainings.out / "records" / f"distributions-lidc-{method}-seed{SEED}.json"
    if file.exists():
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return found
    assert trainings.data is not None
    start = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        study = nodule_study("all", SEED, trainings.data)
        trained = train_study(study, Path(folder) / "run", preset("default").with_words(_words(method)))
        seconds = round(time.process_time() - start)
        found = score_nodules(trained.package, SEED, trainings.data)
    found |= {"method": method, "seconds": seconds, "words": list(_words(method))}
    write_text(file, json.dumps(found) + "\n")
    return found
