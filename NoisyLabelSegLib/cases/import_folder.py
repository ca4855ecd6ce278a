"""Turns the folders and tables people have into an import plan, and says what was recognized and why.

Each layout has a module of its own: `layout_bids`, `layout_ivadomed`, `layout_nnunet`, `layout_folders`,
`layout_names` (by file names), `layout_pattern` (described with --layout) and `layout_table` (a CSV file). The first
that finds labels is taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from NoisyLabelSegLib.cases.found_cases import Found, FoundCase, folders_below, image_files, natural
from NoisyLabelSegLib.cases.import_plan import ImportPlan, PlannedCase, PlannedSource
from NoisyLabelSegLib.cases.itk_files import nifti_channels, read_4d_nifti
from NoisyLabelSegLib.cases.label_findings import Marked, label_findings
from NoisyLabelSegLib.cases.label_plan import LabelPlan, Relabel, plan_labels, renamed_segments
from NoisyLabelSegLib.cases.label_values import LabelFile, read_label_file
from NoisyLabelSegLib.cases.layout_bids import find_bids
from NoisyLabelSegLib.cases.layout_folders import find_annotator_folders, find_case_folders, find_labels_alone
from NoisyLabelSegLib.cases.layout_ivadomed import find_ivadomed
from NoisyLabelSegLib.cases.layout_names import find_names
from NoisyLabelSegLib.cases.layout_nnunet import find_nnunet
from NoisyLabelSegLib.cases.layout_pattern import EXAMPLE, find_pattern
from NoisyLabelSegLib.cases.layout_table import find_table
from NoisyLabelSegLib.cases.overlapping_segments import CLASSES, REMARK, split_by_segment
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.progress import Report, silent, steps
from NoisyLabelSegLib.words import counted

MOST_NAMED = 3
_LAYOUTS: tuple[Callable[[Path], Found | None], ...] = (
    find_bids,
    find_ivadomed,
    find_nnunet,
    find_annotator_folders,
    find_case_folders,
    find_names,
    find_labels_alone,
)


def plan_folder(
    source: str | Path,
    *,
    classes: Sequence[str] | None = None,
    layout: Sequence[str] = (),
    relabel: Sequence[str] = (),
    report: Report = silent,
) -> ImportPlan:
    """What a folder or a CSV table holds, as a plan.

    Without `classes` they come from the data set's own files, the names of segments or the values of the labels.
    `layout` are patterns such as `{case}/{reader}.nrrd`; `relabel` are changes such as `anna:7=1`.
    """
    source = Path(source)
    rules = [Relabel.parse(text) for text in relabel]
    found = _find(source, layout)
    cases = sorted(found.cases, key=lambda case: natural(case.id))
    every = [(case.id, reader, file) for case in cases for reader, file in case.labels()]
    files = [read_label_file(*entry) for entry in steps(every, "look at labels", report)]
    chosen, chosen_from = (classes, "--classes") if classes else (found.classes, found.classes_from)
    _require_readers(rules, files)
    if any(file.overlap for file in files) and all(file.segments is not None for file in files):
        labels = LabelPlan(CLASSES, "segments that overlap", remarks=[REMARK])
        if classes:
            labels.remarks.append("--classes is not used: every case has the classes background and segment.")
        planned = tuple(part for case in cases for part in _split(case, labels, rules))
        labels.marked += [Marked(case.id, name, (1,)) for case in planned for name in case.annotations]
    else:
        labels = plan_labels(files, chosen, chosen_from, rules)
        planned = tuple(_planned(case, labels) for case in cases)
    names = tuple(sorted({name for case in planned for name in case.annotations}, key=natural))
    drawn = [entry for entry in labels.marked if entry.reader in names]
    return ImportPlan(
        name=found.name or source.resolve().name,
        classes=labels.classes,
        annotators=names,
        cases=planned,
        remarks=[*found.remarks, *labels.remarks],
        recognized=_recognized(source, found, labels, planned, names),
        findings=label_findings(drawn, labels.classes),
    )


def _find(source: Path, layout: Sequence[str]) -> Found:
    if source.is_file() and source.suffix.lower() in (".csv", ".tsv"):
        return find_table(source)
    if not source.is_dir():
        raise UserError("is not a folder", file=source, remedy="give the folder that holds the images and labels")
    if layout:
        return find_pattern(source, layout)
    for find in _LAYOUTS:
        found = find(source)
        if found is not None and found.has_labels and (find is not find_labels_alone or _has_no_image(source)):
            return found
    seen = [file for folder in folders_below(source) for file in image_files(folder)]
    names = _named(seen, source) if seen else "no image files"
    raise UserError(
        f"holds no image with labels, nor labels alone, in a layout that is understood ({names})",
        file=source,
        remedy="arrange it as <case>/image.nrrd and <case>/<annotator>.nrrd, or images/ and masks/<annotator>/, "
        f"or say how files are named, as in {EXAMPLE}",
    )


def _has_no_image(source: Path) -> bool:
    """Folders in which something is named as an image, yet has no labels, are no folders of labels."""
    return not any(case.images for find in (find_case_folders, find_annotator_folders) for case in find(source).cases)


def _planned(case: FoundCase, labels: LabelPlan) -> PlannedCase:
    def source(path: Path) -> PlannedSource:
        return labels.sources.get(path, path)

    annotations, repeats = case.readings()
    notes = [] if annotations else ["no labels"]
    notes += [] if case.images else ["no image"]
    notes += [counted(sum(map(len, repeats.values())), "repeated reading")] if repeats else []
    return PlannedCase(
        id=case.id,
        images=tuple(_image(path) for path in case.images),
        annotations={name: source(path) for name, path in annotations.items()},
        truth=None if case.truth is None else source(case.truth),
        note=", ".join(notes),
        repeats={name: tuple(map(source, paths)) for name, paths in repeats.items()},
        split=case.split,
        patient=case.patient,
        dates={name: date for name, date in case.dates.items() if name in annotations},
    )


def _split(case: FoundCase, labels: LabelPlan, rules: Sequence[Relabel]) -> list[PlannedCase]:
    """A case for each segment, because some overlap."""
    annotations, repeats = case.readings()
    read = {name: partial(renamed_segments, path, name, rules) for name, path in annotations.items()}
    again = {name: [partial(renamed_segments, path, name, rules) for path in paths] for name, paths in repeats.items()}
    truth = None if case.truth is None else partial(renamed_segments, case.truth, "truth", rules)
    return split_by_segment(_planned(case, labels), read, truth, again)


def _image(path: Path) -> PlannedSource:
    return partial(read_4d_nifti, path) if path.is_file() and nifti_channels(path) > 1 else path


def _require_readers(rules: Sequence[Relabel], files: Sequence[LabelFile]) -> None:
    readers = {file.reader for file in files}
    for rule in rules:
        if rule.reader is not None and rule.reader not in readers:
            raise UserError(
                f"--relabel names the reader {rule.reader}, who is not there",
                remedy=f"choose one of {', '.join(sorted(readers))}",
            )


def _recognized(
    source: Path, found: Found, labels: LabelPlan, planned: Sequence[PlannedCase], names: Sequence[str]
) -> list[str]:
    """Layout, images, readers, references and classes, each with the reason; then what was not understood."""
    root = source if source.is_dir() else source.parent
    images = [case for case in found.cases if case.images]
    channels = sorted({sum(_channels(path) for path in case.images) for case in images})
    counts = Counter(name for case in planned for name in case.annotations)
    readers = ", ".join(f"{name} ({counted(counts[name], 'case')})" for name in names)
    lines = [f"Layout: {found.layout}, because {found.reason}."]
    if images:
        per_case = f"{' or '.join(map(str, channels))} {'channel' if channels == [1] else 'channels'}"
        lines.append(
            f"Images: {counted(len(images), 'case')} with {per_case} (such as {_named(images[0].images, root)})."
        )
    else:
        lines.append("Images: none; labels alone can be fused and compared.")
    lines.append(f"Readers, from {found.readers_from}: {readers}.")
    references = [case.truth for case in found.cases if case.truth is not None]
    if references:
        lines.append(f"References: {counted(len(references), 'case')} (such as {_named(references[:1], root)}).")
    lines.append(f"Classes, from {labels.classes_from}: {', '.join(labels.classes)}.")
    if source.is_dir():
        used = found.files()
        unused = [file for folder in folders_below(source) for file in image_files(folder) if file not in used]
        if unused:
            lines.append(
                f"Not understood: {_named(unused, source)}; name files <case>_<reader>_mask and <case>_image, "
                f"or say how they are named, as in {EXAMPLE}."
            )
    return lines


def _channels(path: Path) -> int:
    return nifti_channels(path) if path.is_file() else 1


def _named(files: Sequence[Path], source: Path) -> str:
    names = [file.relative_to(source).as_posix() if file.is_relative_to(source) else file.name for file in files]
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {counted(more, 'more file')}" if more > 0 else "")
