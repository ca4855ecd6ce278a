"""What a reader handed in: every entry of the worklist with its labels, or why they cannot be used."""

from __future__ import annotations

import contextlib
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from NoisyLabelSegLib.cases import Case, Image, Study, read_geometry, read_labels
from NoisyLabelSegLib.cases.study_rules import path_problem
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.json_checks import read_json
from NoisyLabelSegLib.reader_study.key import KEY_FILE, WORKLIST, WORKLIST_FORMAT, HandoutKey, Item
from NoisyLabelSegLib.reader_study.worklist import is_duration
from NoisyLabelSegLib.untrusted import in_gigabytes, require_memory

FINISHED, OPEN, BEGUN, MISSING, BROKEN = "finished", "open", "begun", "missing", "broken"
"""States of an entry: done; nothing drawn; begun, says the worklist; no file; labels that cannot be used."""

_MOST_FILES, _KEPT_FREE = 100_000, 1 << 30
"""Files that a zip file may hold, and bytes of the disk that are left when it is unpacked."""


@dataclass(frozen=True)
class HandIn:
    """One entry of a worklist as it came back. `problem` says what is wrong with broken labels."""

    reader: str
    item: Item
    state: str
    labels: Image | None = None
    images: tuple[Path, ...] = ()
    when: Mapping[str, Any] | None = None
    problem: str = ""


def packages(places: list[Path], folder: Path) -> Iterator[Path]:
    """The folders with a worklist among and directly below these places; zip files are unpacked into `folder`."""
    for number, place in enumerate(places):
        if not place.exists():
            raise UserError("does not exist", file=place, remedy="give the folder or zip file that a reader sent back")
        if place.is_file():
            place = _unpacked(place, folder / str(number))
        found = [place] if (place / WORKLIST).exists() else sorted(path.parent for path in place.glob(f"*/{WORKLIST}"))
        for archive in sorted(place.glob("*.zip")) if (place / KEY_FILE).exists() else ():
            unpacked = _unpacked(archive, folder / f"{number}-{archive.stem}")
            found += [unpacked] if (unpacked / WORKLIST).exists() else []
        if not found:
            raise UserError(f"holds no {WORKLIST}", file=place, remedy="give the folder that a reader sent back")
        yield from found


def find_key(places: list[Path]) -> Path:
    """The key in or beside one of these places."""
    for place in places:
        if not place.exists():
            raise UserError("does not exist", file=place, remedy="give a folder or zip file that a reader sent back")
        for folder in (place, place.parent):
            if (folder / KEY_FILE).is_file():
                return folder / KEY_FILE
    raise UserError(
        f"There is no {KEY_FILE} in or beside what came back", remedy="name the one of the hand-out with --key"
    )


@contextmanager
def workspace() -> Iterator[Path]:
    """A folder for unpacked zip files, which goes at the end."""
    with TemporaryDirectory(prefix="noisylabelseg-collect-") as folder:
        yield Path(folder)


def _unpacked(path: Path, folder: Path) -> Path:
    try:
        with zipfile.ZipFile(path) as archive:
            _refuse_bomb(archive, path, folder.parent)
            archive.extractall(folder)  # zipfile keeps members below the folder
    except (zipfile.BadZipFile, OSError, EOFError, RuntimeError) as error:
        problem = "is not a zip file that can be unpacked"
        raise UserError(problem, file=path, remedy="ask the reader to send it again", detail=str(error)) from error
    inner = [child for child in folder.iterdir() if child.is_dir()]
    lone = len(inner) == 1 and not (folder / WORKLIST).exists()
    return inner[0] if lone and (inner[0] / WORKLIST).exists() else folder


def _refuse_bomb(archive: zipfile.ZipFile, path: Path, folder: Path) -> None:
    """Refuses what would fill the memory or the disk that `folder` is on."""
    sizes = [item.file_size for item in archive.infolist()]
    if len(sizes) > _MOST_FILES:
        raise UserError(f"holds {len(sizes)} files", file=path, remedy="give the folder that a reader sent back")
    require_memory(path, max(sizes, default=0))
    free = shutil.disk_usage(folder).free
    if sum(sizes) > free - _KEPT_FREE:
        problem = f"unpacks to {in_gigabytes(sum(sizes))}, and {in_gigabytes(free)} of the disk are free"
        raise UserError(problem, file=path, remedy="give the unpacked folder")


def read_package(folder: Path, key: HandoutKey, study: Study | None = None) -> list[HandIn]:
    """Every entry of the reader's worklist, in the order of the key; a package of another hand-out is refused.

    Labels must be on the grid of the study's case, or without a study on that of the package's image.
    """
    path = folder / WORKLIST
    content = read_json(path, damaged="ask the reader for the file as it was, or restore it from the package")
    if not isinstance(content, dict) or content.get("format") != WORKLIST_FORMAT:
        raise UserError(f"is not a worklist of the format {WORKLIST_FORMAT}", file=path)
    reader = content.get("reader")
    if content.get("handout") != key.handout or not isinstance(reader, str) or reader not in key.readers:
        raise UserError("belongs to another hand-out than the key", file=path, remedy="give the key of its hand-out")
    listed = content.get("cases")
    entries = {
        entry["id"]: entry
        for entry in (listed if isinstance(listed, list) else [])
        if isinstance(entry, dict) and isinstance(entry.get("id"), str)
    }
    cases = {} if study is None else {case.id: case for case in study.cases}
    return [
        _hand_in(folder, reader, item, entries.get(item.pseudonym, {}), key, cases.get(item.case))
        for item in key.readers[reader]
    ]


def _hand_in(
    folder: Path, reader: str, item: Item, entry: Mapping[str, Any], key: HandoutKey, case: Case | None
) -> HandIn:
    images = tuple(sorted((folder / item.pseudonym).glob("image*.nrrd"), key=lambda path: (len(path.name), path.name)))
    path = _labels_file(folder, item, entry)
    if path is None:
        return HandIn(reader, item, MISSING, images=images)
    if entry.get("finished") is False:
        return HandIn(reader, item, BEGUN, images=images)
    try:
        labels = read_labels(path)
        _refuse_labels(labels, images, len(key.classes), case)
    except UserError as error:
        words = f"{error.problem}; {error.remedy}" if error.remedy else error.problem
        return HandIn(reader, item, BROKEN, images=images, problem=words)
    done = bool(labels.array.any()) or entry.get("finished") is True
    return HandIn(reader, item, FINISHED if done else OPEN, labels, images, _when(path, entry))


def _labels_file(folder: Path, item: Item, entry: Mapping[str, Any]) -> Path | None:
    """The file that the worklist names, or any other file called labels in the case's folder."""
    named = entry.get("labels")
    if isinstance(named, str) and not path_problem(named) and (folder / named).is_file():
        return folder / named
    return next(iter(sorted((folder / item.pseudonym).glob("labels.*"))), None)


def _refuse_labels(labels: Image, images: tuple[Path, ...], classes: int, case: Case | None) -> None:
    if case is None and not images:
        raise UserError("there is no image to compare its grid with", remedy="collect into the study itself")
    grid = read_geometry(images[0]) if case is None else case.geometry
    again = "ask the reader to segment on the image of the package"
    grid.require_same(labels.geometry, "its image", remedy=again)
    highest = int(labels.array.max(initial=0))
    if highest >= classes:
        raise UserError(f"has label {highest}, but there are {classes} classes (0 to {classes - 1})")


def _when(path: Path, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Date and time that the worklist gives, as far as they make sense; else the day the file was saved."""
    when: dict[str, Any] = {"date": date.fromtimestamp(path.stat().st_mtime).isoformat()}
    started, seconds = entry.get("started"), entry.get("seconds")
    if isinstance(started, str):
        with contextlib.suppress(ValueError):
            when["date"] = datetime.fromisoformat(started).date().isoformat()
            when["started"] = started
    if is_duration(seconds):
        when["seconds"] = seconds
    return when
