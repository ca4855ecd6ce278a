"""`noisylabelseg export`: a study for nnU-Net, as BIDS derivatives or as DICOM SEG."""

from __future__ import annotations

import argparse
from typing import Any

from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.verbs import ExportSettings, carry_out
from NoisyLabelSegLib.verbs.export import KINDS, TARGETS
from NoisyLabelSegLib.words import counted

SUMMARY = "Write a study as an nnU-Net data set, as BIDS derivatives or as DICOM SEG objects."
EXAMPLE = """  noisylabelseg export nnunet my-study --truth majority --out nnUNet_raw/Dataset501_Nodules
  noisylabelseg export bids my-study --truth majority --out derivatives --suffix T1w
  noisylabelseg export dicom-seg my-study --series my-dicom --truth majority --out seg

Next:  nnUNetv2_plan_and_preprocess -d 501   (nnU-Net)"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", choices=KINDS, metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("study", metavar="STUDY", help="a study.json or the folder that holds it")
    parser.add_argument("--out", required=True, metavar="DIR", help="folder for the exported files")
    parser.add_argument(
        "--truth",
        default="",
        metavar="DIR_OR_METHOD",
        help="the truth: a folder laid out <case id>/truth.nrrd, the name of a fusion method, or 'study' (nnunet: the "
        "default fusion method; the others: no truth)",
    )
    parser.add_argument("--force", action="store_true", help="replace files of the same name in DIR")
    parser.add_argument(
        "--targets",
        choices=TARGETS,
        default="truth",
        help="nnunet: the truth, each reader's label as a case of its own, or the truth and class probabilities",
    )
    parser.add_argument(
        "--suffix", default="image", metavar="NAME", help="bids: how image files end, such as T1w (default %(default)s)"
    )
    parser.add_argument("--series", default="", metavar="DIR", help="dicom-seg: the folder of the DICOM series")


def run(arguments: argparse.Namespace, terminal: Terminal) -> dict[str, Any]:
    settings = ExportSettings(
        kind=arguments.kind,
        study=arguments.study,
        truth=arguments.truth,
        out=arguments.out,
        targets=arguments.targets,
        suffix=arguments.suffix,
        series=arguments.series,
        force=arguments.force,
    )
    result = carry_out(settings, terminal.progress, terminal.say)
    terminal.say(f"{counted(result['cases'], 'case is', 'cases are')} in {arguments.out}.")
    return result
