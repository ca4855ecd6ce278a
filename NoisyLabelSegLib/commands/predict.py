"""`noisylabelseg predict`: a trained model's truth, annotators and confusion fields for new cases."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.verbs import PredictSettings, carry_out
from NoisyLabelSegLib.words import counted

SUMMARY = "Estimate the truth of new cases with a trained model, and what each annotator would draw."
EXAMPLE = """  noisylabelseg predict my-run/model.nlseg my-study --out predictions --split test --annotators
  noisylabelseg predict my-run/model.nlseg my-study --out combined --labels
  noisylabelseg predict my-run/model.nlseg scan.nrrd --out predictions
  noisylabelseg predict brain.nlseg flair.nii.gz,t1.nii.gz --out predictions

Next:  noisylabelseg review my-study --truth predictions --out review"""


def numbers(word: str) -> tuple[float, ...]:
    """Numbers joined by commas; argparse says what is wrong with others."""
    return tuple(float(part) for part in word.split(","))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "model", metavar="MODEL", help="a model package (.nlseg), or the name of one that comes with the program"
    )
    parser.add_argument(
        "inputs",
        nargs="+",
        metavar="STUDY_OR_IMAGES",
        help="a study, or images: each file is a case, channels of one case joined by commas",
    )
    parser.add_argument("--out", metavar="DIR", required=True, help="folder for the predictions, one folder per case")
    parser.add_argument("--annotators", action="store_true", help="also the labels each annotator would give")
    parser.add_argument(
        "--confusion", action="store_true", help="also each annotator's confusion matrix at every voxel"
    )
    parser.add_argument(
        "--labels", action="store_true", help="estimate the truth from the image and the study's labels together"
    )
    parser.add_argument(
        "--samples",
        type=int,
        default=0,
        metavar="N",
        help="also N labelings drawn from the annotator models or by a Probabilistic U-Net, as samples.nrrd; "
        "1 byte a voxel each",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="random seed of the samples (default 0)")
    parser.add_argument(
        "--at",
        type=numbers,
        default=(),
        metavar="X,Y,Z",
        help="a point in RAS mm, for models that outline one object at a time, such as --at=-62,40,-110",
    )
    parser.add_argument(
        "--roi", type=numbers, default=(), metavar="X0,Y0,Z0,X1,Y1,Z1", help="a box in RAS mm instead of a point"
    )
    parser.add_argument("--anyway", action="store_true", help="also run on data that the model is not for")
    parser.add_argument("--split", metavar="NAME", help="only the study's cases of this split")
    parser.add_argument(
        "--flips",
        action=argparse.BooleanOptionalAction,
        default=False,
        help="test-time augmentation: the mean over mirror images and overlapping tiles, a little more accurate and "
        "4 to 12 times as slow (in 3D 8 times); off by default",
    )
    parser.add_argument("--device", default="auto", help="auto, cpu, cuda or mps (default %(default)s)")
    parser.add_argument("--force", action="store_true", help="replace predictions in a folder that holds some")


def run(arguments: argparse.Namespace, terminal: Terminal) -> dict[str, Any]:
    from NoisyLabelSegLib.cases.inputs import holds_study
    from NoisyLabelSegLib.cases.model_card import package_named

    settings = PredictSettings(
        model=str(package_named(arguments.model)),
        images=tuple(arguments.inputs),
        out=arguments.out,
        annotators=arguments.annotators,
        confusion=arguments.confusion,
        labels=arguments.labels,
        samples=arguments.samples,
        at=arguments.at,
        roi=arguments.roi,
        anyway=arguments.anyway,
        seed=arguments.seed,
        split=arguments.split or "",
        flips=arguments.flips,
        device=arguments.device,
        force=arguments.force,
    )
    result = carry_out(settings, terminal.progress, terminal.say)
    count = len(result["cases"])
    for remark in dict.fromkeys(remark for used in result.get("labels", {}).values() for remark in used["remarks"]):
        terminal.say(remark)
    following = f"review {arguments.inputs[0]} --truth {arguments.out} --out review"
    following = f" Next: noisylabelseg {following}" if holds_study(Path(arguments.inputs[0])) else ""
    terminal.say(f"Wrote {arguments.out}/<case id>/truth.nrrd for {counted(count, 'case')}.{following}")
    return result
