"""`noisylabelseg import`: files as hospitals and researchers have them become a study."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.words import counted

if TYPE_CHECKING:
    from NoisyLabelSegLib.cases.import_plan import ImportPlan

SUMMARY = "Make a study from a folder, a table of cases, an LIDC-IDRI scan, DICOM SEG or RTSTRUCT."
EXAMPLE = """\
  noisylabelseg import folder my-data --out my-study          images and one file or folder per annotator
  noisylabelseg import folder my-data --out my-study --layout '{case}/{reader}.nrrd' '{case}/image.nrrd'
  noisylabelseg import folder cases.csv --out my-study        a table with the columns case, image and one per reader
  noisylabelseg import lidc LIDC-IDRI-0001 --out my-study     a CT series and its LIDC XML
  noisylabelseg import dicom-seg my-scan --out my-study       a DICOM series and SEG objects that refer to it
  noisylabelseg import rtstruct my-scan --out my-study        a DICOM series and RTSTRUCT objects that refer to it

Next:  noisylabelseg fuse my-study --out fused"""

KINDS = ("folder", "lidc", "dicom-seg", "rtstruct")
MOST_ROWS, MOST_NAMES = 30, 6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", choices=KINDS, metavar="KIND", help=", ".join(KINDS))
    parser.add_argument(
        "source", metavar="SOURCE", help="the folder, CSV table or DICOM file to import; it is only read"
    )
    parser.add_argument("--out", required=True, metavar="DIR", help="where the study goes")
    parser.add_argument("--force", action="store_true", help="replace files of the same name in DIR")
    parser.add_argument("--resample", action="store_true", help="move labels on another grid onto the image's grid")
    parser.add_argument("--classes", metavar="A,B,...", help="class names, background first (folder)")
    parser.add_argument(
        "--layout",
        nargs="+",
        default=[],
        metavar="PATTERN",
        help="how files are named below the folder: labels with {case} and {reader}, images with {case} and, for "
        "channels, {channel}; * stands for any text (folder)",
    )
    parser.add_argument(
        "--relabel",
        nargs="+",
        default=[],
        metavar="READER:OLD=NEW",
        help="label values, or names of segments, that become another; without READER: for all (folder)",
    )
    parser.add_argument("--dry-run", action="store_true", help="say what was recognized and write nothing")
    parser.add_argument("--threshold", type=float, default=0.5, help="for FRACTIONAL SEGs (default %(default)s)")
    parser.add_argument(
        "--images", metavar="DIR", help="folder of the DICOM series, if it is elsewhere (dicom-seg, rtstruct)"
    )


def run(arguments: argparse.Namespace, terminal: Terminal) -> dict[str, Any]:
    plan = _plan(arguments, terminal)
    for sentence in plan.recognized:
        terminal.say(sentence)
    rows = plan.rows()
    labeled = sum(bool(case.annotations) for case in plan.cases)
    terminal.table(
        f"Found: cases {len(rows)}, with labels {labeled}, annotators {len(plan.annotators)}",
        ["case", "images", "annotators", "note"],
        [(id, images, _shortened(names), note) for id, images, names, note in rows[:MOST_ROWS]],
    )
    if len(rows) > MOST_ROWS:
        terminal.say(f"... and {counted(len(rows) - MOST_ROWS, 'more case')}.")
    for sentence in plan.findings:
        terminal.say(f"Note: {sentence}")
    if arguments.dry_run:
        for remark in plan.remarks:
            terminal.say(remark)
        terminal.say("Nothing was written (--dry-run).")
        return _result(plan)
    study = plan.write(arguments.out, force=arguments.force, regrid=arguments.resample, report=terminal.progress)
    for remark in plan.remarks:
        terminal.say(remark)
    terminal.say(f"Wrote {study.folder / 'study.json'}. Next: noisylabelseg fuse {study.folder} --out fused")
    return {"study": str(study.folder / "study.json"), **_result(plan)}


def _result(plan: ImportPlan) -> dict[str, Any]:
    return {
        "cases": len(plan.cases),
        "annotators": list(plan.annotators),
        "classes": list(plan.classes),
        "recognized": plan.recognized,
        "findings": plan.findings,
        "remarks": plan.remarks,
    }


def _shortened(names: str) -> str:
    several = names.split(", ")
    return names if len(several) <= MOST_NAMES else f"{len(several)}: {several[0]}, {several[1]} ... {several[-1]}"


def _plan(arguments: argparse.Namespace, terminal: Terminal) -> ImportPlan:
    if arguments.kind == "folder":
        from NoisyLabelSegLib.cases.import_folder import plan_folder

        classes = [name.strip() for name in arguments.classes.split(",")] if arguments.classes else None
        return plan_folder(
            arguments.source,
            classes=classes,
            layout=arguments.layout,
            relabel=arguments.relabel,
            report=terminal.progress,
        )
    if arguments.kind == "lidc":
        from NoisyLabelSegLib.cases.import_lidc import plan_lidc

        return plan_lidc(arguments.source)
    if arguments.kind == "rtstruct":
        from NoisyLabelSegLib.cases.import_rtstruct import plan_rtstruct

        return plan_rtstruct(arguments.source, images=arguments.images)
    from NoisyLabelSegLib.cases.import_dicom_seg import plan_dicom_seg

    return plan_dicom_seg(arguments.source, images=arguments.images, threshold=arguments.threshold)
