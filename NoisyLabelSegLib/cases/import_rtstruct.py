"""RTSTRUCT files and the series they were drawn on become a study: one structure set is one annotator's work."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from NoisyLabelSegLib.cases.dicom_series import SERIES_TAGS, Series, find_dicom, group_series, list_series
from NoisyLabelSegLib.cases.import_dicom_seg import SeriesGroup, by_series, plan_groups
from NoisyLabelSegLib.cases.import_plan import ImportPlan, distinct, file_names, stem, usable_name
from NoisyLabelSegLib.cases.rtstruct import (
    is_structure_set,
    read_rtstruct,
    structure_set_label,
    structure_set_references,
)
from NoisyLabelSegLib.errors import UserError

_NO_NAME = re.compile(r"(RS|RT|RTSTRUCT|RTSS)?[-_. ]?[\d.]*", re.IGNORECASE)
"""Names of files that do not name a reader: RS.1.2.840.113619..., RTSTRUCT_2, 1-1."""


def plan_rtstruct(source: str | Path, *, images: str | Path | None = None) -> ImportPlan:
    """One case per series with structure sets, one annotator per structure set of it, one class per structure.

    `source` is an RTSTRUCT, or a folder searched with all below it for RTSTRUCTs and the series they refer to;
    `images` is a further folder to find the series in. Annotators are named by their file, or by the label of the
    structure set where the file's name says nothing. Structures that overlap become binary cases `<id>_<structure>`.
    """
    source = Path(source)
    paths, found = _search(source, None if images is None else Path(images))
    read = lru_cache(maxsize=4)(read_rtstruct)
    groups = []
    for series, files in by_series(paths, found, structure_set_references):
        if series is None:
            raise UserError(
                "was drawn on a series that is not there",
                file=files[0],
                remedy="add the DICOM series to the folder or name its folder with --images",
            )
        groups.append(SeriesGroup(series, files, source, read, _readers(files, source)))
    remark = (
        "Case ids come from the names of folders, annotator names from files or the labels of structure sets, none "
        "from the patient's name or number."
    )
    return plan_groups(groups, source, [remark])


def _readers(paths: Sequence[Path], root: Path) -> list[str]:
    """The names of the files, or of the structure sets where no file has a name that could be a reader's."""
    if any(not _NO_NAME.fullmatch(stem(path)) for path in paths):
        return file_names(paths, root)
    labels = [usable_name(structure_set_label(path), stem(path)) for path in paths]
    return distinct(labels)


def _search(source: Path, images: Path | None) -> tuple[list[Path], list[Series]]:
    """The RTSTRUCTs of the source, and the series in it and in the further folder."""
    if not source.exists():
        raise UserError("does not exist", file=source, remedy="give an RTSTRUCT or a folder that holds one")
    folder = source.parent if source.is_file() else source
    files = find_dicom(folder, SERIES_TAGS)
    paths = [path for path, header in files if is_structure_set(header) and source in (path, folder)]
    if not paths:
        raise UserError("holds no RTSTRUCT", file=source, remedy="give a structure set or the folder that holds it")
    return paths, [*group_series(files, folder), *([] if images is None else list_series(images))]
