"""Makes one blinded package per reader: cases in random order under pseudonyms, hidden repeats, empty labels."""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from NoisyLabelSegLib.cases import Annotation, Case, Image, Study, read_image, write_image, write_labels
from NoisyLabelSegLib.cases.study_rules import name_problem
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.output import output_folder, write_text
from NoisyLabelSegLib.progress import Report, silent, steps
from NoisyLabelSegLib.reader_study.key import KEY_FILE, WORKLIST, WORKLIST_FORMAT, HandoutKey, Item
from NoisyLabelSegLib.resources import resource_path


def hand_out(
    study: Study,
    readers: Sequence[str],
    out: str | Path,
    *,
    repeats: float = 0.1,
    seed: int | None = None,
    zipped: bool = False,
    force: bool = False,
    report: Report = silent,
) -> HandoutKey:
    """Writes a package for every reader and the key that only the coordinator keeps.

    Parameters
    ----------
    study
        Its images are handed out, not its labels or its truth.
    readers
        Names, new ones or annotators of the study.
    out, force
        The folder for `<reader>/` (or `<reader>.zip`) and `key.json`, and whether files there are replaced.
    repeats
        The share of cases that each reader is given twice, from 0 to 1; at least one case where it is above 0.
    seed
        The same seed makes the same packages; None for a random one, which the key holds.
    zipped
        Whether packages are zip files.

    Returns
    -------
    HandoutKey
        Which pseudonym is which case.

    Raises
    ------
    UserError
        If a name cannot be used, a case has no image, or `out` holds files and `force` is False.
    """
    _refuse(study, readers, repeats)
    study.require_files()
    seed = secrets.randbits(48) if seed is None else seed
    random = np.random.default_rng(seed)
    key = HandoutKey(
        handout=random.bytes(8).hex(),
        study=study.name,
        classes=study.classes,
        seed=seed,
        date=date.today().isoformat(),
        cases={case.id: {"patient": case.patient, "split": case.split} for case in study.cases},
        readers={reader: _items([case.id for case in study.cases], repeats, random) for reader in readers},
    )
    with output_folder(out, force=force) as folder:
        write_text(folder / KEY_FILE, key.text())
        for case in steps(study.cases, "hand out", report):
            images = [read_image(source) if isinstance(source, Path) else source for source in case.images]
            for reader, items in key.readers.items():
                for item in items:
                    if item.case == case.id:
                        _write_case(case, images, folder / reader / item.pseudonym)
        for reader, items in key.readers.items():
            _write_lists(key, reader, items, folder / reader)
            if zipped:
                shutil.make_archive(str(folder / reader), "zip", folder / reader)
                shutil.rmtree(folder / reader)
    return key


def _refuse(study: Study, readers: Sequence[str], repeats: float) -> None:
    if not readers:
        raise UserError("Nobody is named to hand cases out to", remedy="give --readers anna,bert")
    for name in readers:
        taken = "is that of a file of the hand-out" if name.lower() == KEY_FILE else None
        if problem := name_problem(name) or taken:
            raise UserError(f"The reader's name {name!r} {problem}", remedy="choose another name")
    if len({name.lower() for name in readers}) < len(readers):
        raise UserError("Two readers have the same name", remedy="name each reader once")
    if not 0 <= repeats <= 1:
        raise UserError(f"A share of {repeats:g} of the cases cannot be repeated", remedy="give a number from 0 to 1")
    for case in study.cases:
        if not case.images:
            raise UserError(f"Case {case.id} of the study {study.name} has no image that readers could segment")


def _items(cases: Sequence[str], repeats: float, random: np.random.Generator) -> tuple[Item, ...]:
    """The cases in random order; each repeat comes at least a third of the cases after the first reading."""
    order = [cases[place] for place in random.permutation(len(cases))]
    count = min(len(order), max(1, round(repeats * len(order)))) if repeats > 0 else 0
    gap = max(1, len(order) // 3)
    readings = [(case, 1) for case in order]
    early = order[: max(count, len(order) - gap)]
    for place in random.choice(len(early), count, replace=False):
        first = readings.index((early[place], 1))
        earliest = min(first + 1 + gap, len(readings))
        readings.insert(int(random.integers(earliest, len(readings) + 1)), (early[place], 2))
    pseudonyms: dict[str, None] = {}
    while len(pseudonyms) < len(readings):
        pseudonyms[f"case_{random.bytes(4).hex()}"] = None
    return tuple(Item(name, *reading) for name, reading in zip(pseudonyms, readings, strict=True))


def _image_names(case: Case) -> list[str]:
    if len(case.images) == 1:
        return ["image.nrrd"]
    return [f"image_{number}.nrrd" for number in range(1, len(case.images) + 1)]


def _write_case(case: Case, images: Sequence[Image], folder: Path) -> None:
    """Voxels and grid only: the files are written anew, so no other header field of the source is in them."""
    for name, image in zip(_image_names(case), images, strict=True):
        write_image(folder / name, image)
    write_labels(folder / "labels.nrrd", np.zeros(case.geometry.shape, np.uint8), case.geometry)


def _write_lists(key: HandoutKey, reader: str, items: Sequence[Item], folder: Path) -> None:
    """The worklist, a study file of the package that the panel can open, and what to do in words."""
    entries: list[dict[str, Any]] = []
    cases = []
    for item in items:
        images = sorted((folder / item.pseudonym).glob("image*.nrrd"), key=lambda path: (len(path.name), path.name))
        labels = folder / item.pseudonym / "labels.nrrd"
        entries.append(
            {
                "id": item.pseudonym,
                "labels": f"{item.pseudonym}/labels.nrrd",
                "finished": None,
                "started": None,
                "seconds": None,
            }
        )
        cases.append(Case(item.pseudonym, tuple(images), {reader: Annotation(labels)}))
    content = {
        "format": WORKLIST_FORMAT,
        "handout": key.handout,
        "reader": reader,
        "classes": list(key.classes),
        "cases": entries,
    }
    write_text(folder / WORKLIST, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    Study("cases to segment", key.classes, (reader,), tuple(cases)).write(folder)
    words = ", ".join(f"{value} for {name}" for value, name in enumerate(key.classes))
    text = resource_path("reader_study/README.txt").read_text(encoding="utf-8")
    write_text(folder / "README.txt", text.format(count=len(items), classes=words))
