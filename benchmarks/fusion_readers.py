"""The rows of the fusion table with real readers: the others are fused and scored against the one left out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path

import numpy as np

from benchmarks.fusion_rows import Labels, MakeRows, Row, Task
from NoisyLabelSegLib.cases.files import read_image
from NoisyLabelSegLib.errors import UserError

Case = Mapping[str, Labels]
"""Labels (*shape) by the reader's name."""


def reader_rows(folders: Sequence[Path]) -> Mapping[str, MakeRows]:
    """What makes the rows of each folder, by the folder's name; a folder of no known kind is refused."""
    for folder in folders:
        if folder.name not in _READERS:
            raise UserError("is not a data set of the fusion table", file=folder, remedy=f"use {', '.join(_READERS)}")
    return {folder.name: partial(_READERS[folder.name], folder) for folder in folders}


def _held_out(name: str, cases: Sequence[Case], *, same_people: bool = False) -> Iterator[Row]:
    """Where readers are the same people in all cases there are two rows: estimated over all cases, and case by case."""
    if same_people:
        readers = sorted({reader for case in cases for reader in case})
        yield Row(name, [[_without(case, reader) for case in cases if reader in case] for reader in readers])
    tasks = [_without(case, reader) for case in cases for reader in sorted(case)]
    yield Row.case_by_case(f"{name}, each case" if same_people else name, tasks)


def _without(case: Case, reader: str) -> Task:
    return Task([case[name] for name in sorted(case) if name != reader], case[reader])


def _lidc(folder: Path) -> Iterator[Row]:
    packed = np.load(folder / "readers.npz")
    nodules = [packed[nodule["nodule_id"]] for nodule in json.loads((folder / "nodules.json").read_text())]
    yield from _held_out("LIDC", [{f"reader{r}": (votes >> r) & 1 for r in range(4)} for votes in nodules])


def _kits(folder: Path) -> Iterator[Row]:
    cases = [_masks(case, "reader*") for case in sorted(folder.glob("case_*"))]
    yield from _held_out("KiTS", cases)
    tasks = []
    for path, case in zip(sorted(folder.glob("case_*")), cases, strict=True):
        first = {f"reader{name[-1]}": labels for name, labels in _masks(path, "first*").items()}
        readings = [first.get(name, labels) for name, labels in case.items()]
        tasks += [Task(readings, reviewed) for name, reviewed in case.items() if name in first]
    yield Row.case_by_case("KiTS, first against reviewed", tasks)


def _cfos(folder: Path) -> Iterator[Row]:
    paths = sorted(path for path in folder.iterdir() if path.is_dir())
    for lab, group in groupby(paths, key=lambda path: path.name.split("_")[0]):
        cases = [_masks(path, "expert_*") for path in group]
        yield from _held_out(f"cFOS {lab.removeprefix('lab-')}", cases, same_people=True)


def _bubil(folder: Path) -> Iterator[Row]:
    for group, pattern in (("experts", "expert*_amira"), ("crowd", "crowd*")):
        for kind in ("smc", "fib"):
            cases: dict[str, dict[str, Labels]] = {}
            for path in sorted(folder.glob(f"masks/{pattern}/{kind}_*.png")):
                cases.setdefault(path.stem, {})[path.parent.name] = _mask(path)
            yield from _held_out(f"BU-BIL {kind} {group}", list(cases.values()), same_people=group == "experts")


_READERS: Mapping[str, Callable[[Path], Iterator[Row]]] = {
    "lidc_readers": _lidc,
    "kits-tumours": _kits,
    "cfos-experts": _cfos,
    "bubil-cells": _bubil,
}


def _masks(folder: Path, pattern: str) -> dict[str, Labels]:
    return {path.stem: _mask(path) for path in sorted(folder.glob(f"{pattern}.*"))}


def _mask(path: Path) -> Labels:
    return np.asarray(np.squeeze(read_image(path).array) > 0, dtype=np.uint8)
