"""Every setting of a training, their rules and the presets under Resources/presets."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.json_checks import read_json
from NoisyLabelSegLib.resources import resource_path
from NoisyLabelSegLib.training.learners import LEARNERS
from NoisyLabelSegLib.untrusted import LARGEST_EDGE, LEAST_EDGE

_CHOICES: dict[str, Collection[Any]] = {
    "target": LEARNERS,
    "confusion": ("pixel", "low-rank", "global", "oracle-cm"),
    "likelihood": ("each", "joint"),
    "normalization": ("z-score", "window"),
    "schedule": ("cosine", "constant"),
    "dimensions": (2, 3),
    "axis": (0, 1, 2),
    "device": ("auto", "cpu", "cuda", "mps"),
    "precision": ("32-true", "16-mixed", "bf16-mixed"),
}
_RANGES: dict[str, tuple[float, float]] = {
    "rank": (1, 256),
    "reliability": (0, 1e3),
    "completion": (0, 1e3),
    "as_given": (0, 1),
    "overlap": (0, 1e3),
    "trace": (0, 1e3),
    "curated": (0, 1e3),
    "experience": (0, 10),
    "hinge": (0, 1e3),
    "margin": (0, 1),
    "start_diagonal": (0.01, 0.999),
    "freeze": (0, 1),
    "identity_warm_up": (0, 1),
    "patch": (0, 4096),
    "foreground": (0, 1),
    "shift": (0, 4096),
    "brightness": (0, 10),
    "epochs": (1, 100_000),
    "samples": (0, 10_000_000),
    "batch": (1, 4096),
    "learning_rate": (1e-8, 1),
    "warm_up": (0, 0.9),
    "weight_decay": (0, 1),
    "validation": (0, 0.9),
    "patience": (0, 100_000),
    "restarts": (0, 10),
    "seed": (0, 2**31 - 1),
    "accumulate": (1, 4096),
    "workers": (0, 256),
    "memory_gb": (0, 4096),
}
LARGEST_INTENSITY = 1e30


def setting_problems(values: Mapping[str, Any]) -> list[str]:
    """What is wrong with a full set of values, in words."""
    problems = [
        f"{name} must be one of {', '.join(map(str, allowed))}, not {values[name]}"
        for name, allowed in _CHOICES.items()
        if values[name] not in allowed
    ]
    problems += [
        f"{name} must be from {low:g} to {high:g}, not {values[name]:g}"
        for name, (low, high) in _RANGES.items()
        if not (math.isfinite(values[name]) and low <= values[name] <= high)
    ]
    if not values["widths"] or not all(isinstance(width, int) and 1 <= width <= 4096 for width in values["widths"]):
        problems.append("widths must be whole numbers from 1 to 4096")
    window = values["window"]
    if len(window) != 2 or not -LARGEST_INTENSITY <= window[0] < window[1] <= LARGEST_INTENSITY:
        problems.append("window must be two numbers, the lower one first")
    edges = [edge for edge in values["spacing"] if edge != 0]
    if len(values["spacing"]) not in (0, 2, 3) or not all(LEAST_EDGE <= edge <= LARGEST_EDGE for edge in edges):
        problems.append("spacing must be empty, or two or three numbers in millimeters, 0 for an axis that stays")
    return problems


@dataclass(frozen=True)
class Settings:
    """The defaults need no tuning; Resources/presets/*.json name other values.

    Lengths of time are shares of all steps (`warm_up`, `freeze`), so that they hold for any number of epochs.
    """

    # What is learned, and from what.
    target: str = "coupled"  # a learner of training/learners.py: or trained on a fused label, the truth, ...
    confusion: str = "pixel"  # of the coupled networks: or low-rank, global; oracle-cm is the learner of that name
    rank: int = 1
    likelihood: str = "joint"  # the annotators of a pixel share its true class; or each: every one alone
    reliability: float = 3.0  # weight of the reliability-weighted vote, on images with several labels; 0: no weights
    completion: float = 1.0  # weight of the vote with imputed labels, on images that a single annotator labeled
    as_given: float = 0.3  # share of the steps in which p is trained on single labels without imputed ones
    overlap: float = 1.0  # weight of the Dice loss beside every cross-entropy to a vote, a fused label or the truth
    trace: float = 0.1  # lambda of the paper; where reliability is on, for images with a single label only
    curated: float = 3.0  # weight of the curated truth, on the cases that have one; 0 ignores it
    experience: float = 0.5  # power of annotators' years of experience in their weights, where the study has them
    hinge: float = 0.0
    margin: float = 0.3
    start_diagonal: float = 0.88
    start_unused: bool = True  # annotators who never use a class start as ones who call it background
    freeze: float = 0.0  # the annotators' head does not learn before this share of the steps
    identity_warm_up: float = 0.0  # the trace is maximized, the paper's warm-up, for this share of the steps

    # The network.
    trunk: str = "unet"
    widths: tuple[int, ...] = (32, 64, 128, 256)
    trunk_arguments: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    # What the network sees.
    dimensions: int = 2  # 2: images, or slices of volumes along `axis`; 3: volumes
    axis: int = 0  # z
    patch: int = 0  # edge of a square or cubic crop in pixels, 0 for whole slices or volumes
    normalization: str = "z-score"  # per case, or window
    window: tuple[float, ...] = (-1000.0, 400.0)  # intensities that become 0 and 1 where normalization is window
    spacing: tuple[float, ...] = ()  # mm in z, y, x (or y, x) that cases are brought to; empty, or 0: each one's own
    coarsen: bool = True  # 2D crops: where spacing is empty, one at which what people outline fits into the patch
    foreground: float = 0.7  # share of samples from slices, or around voxels, that somebody marked
    flips: bool = True
    shift: int = 0  # pixels by which a sample is moved at random, each way; what leaves it comes in at the other side
    brightness: float = 0.1  # standard deviation of a random scale and offset of normalized intensities

    # How it is learned.
    epochs: int = 40
    samples: int = 0  # per epoch; 0 takes every image once, or every slice that somebody marked
    batch: int = 8
    learning_rate: float = 2e-3
    schedule: str = "cosine"  # or constant
    warm_up: float = 0.1
    weight_decay: float = 1e-5
    validation: float = 0.1  # share of the cases held out where the study names no split "validate"
    patience: int = 0  # epochs without better held-out likelihood before stopping; 0 never stops early
    restarts: int = 2  # how often a swapped or collapsed run may begin anew

    # The machine.
    seed: int = 0
    device: str = "auto"
    precision: str = "32-true"
    accumulate: int = 1
    workers: int = 0
    memory_gb: float = 4.0  # images and labels kept between epochs; beyond it cases are read again

    @property
    def learner(self) -> str:
        """The name of the learner in training/learners.py; `confusion=oracle-cm` names one, too."""
        return "oracle-cm" if self.target == "coupled" and self.confusion == "oracle-cm" else self.target

    def problems(self) -> list[str]:
        """What is wrong, in words; empty when all is well."""
        return setting_problems(dataclasses.asdict(self))

    def to_json(self) -> dict[str, Any]:
        return json.loads(json.dumps(dataclasses.asdict(self)))  # type: ignore[no-any-return]

    @classmethod
    def from_json(cls, content: Mapping[str, Any], base: Settings | None = None) -> Settings:
        """The base (the defaults if None) with these values; raises ValueError, in words, for what is not a setting."""
        base = base or cls()
        names = [item.name for item in dataclasses.fields(cls)]
        unknown = [name for name in content if name not in names]
        if unknown:
            alike = get_close_matches(unknown[0], names, n=1)
            hint = f"the nearest is {alike[0]!r}" if alike else f"the settings are {', '.join(names)}"
            raise ValueError(f"there is no setting {unknown[0]!r}; {hint}")
        values = {name: _like(getattr(base, name), value, name) for name, value in content.items()}
        return dataclasses.replace(base, **values)

    def with_words(self, words: Sequence[str]) -> Settings:
        """These settings changed by `key=value` words, values written as in JSON; text needs no quotes."""
        changes = {}
        for word in words:
            name, equals, value = word.partition("=")
            if not equals:
                raise ValueError(f"{word!r} is not of the form key=value")
            changes[name.strip()] = _parsed(value.strip())
        return Settings.from_json(changes, self)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _like(default: Any, value: Any, name: str) -> Any:
    """The value with the default's type, where nothing is lost."""
    if isinstance(default, bool) or isinstance(value, bool):
        fits = isinstance(default, bool) and isinstance(value, bool)
    elif isinstance(default, float):
        fits = isinstance(value, (int, float))
        value = float(value) if fits else value
    elif isinstance(default, tuple):
        fits = isinstance(value, (list, tuple)) and all(
            isinstance(item, (int, float)) and not isinstance(item, bool) for item in value
        )
        value = tuple(value) if fits else value
    elif isinstance(default, Mapping):
        fits = isinstance(value, Mapping)
    else:
        fits = isinstance(value, type(default))
    if not fits:
        raise ValueError(f"{name} must be like {json.dumps(default)}, not {json.dumps(value)}")
    return value


def preset_names() -> list[str]:
    """The names of the presets under Resources/presets."""
    return sorted(path.stem for path in resource_path("presets").glob("*.json"))


def preset(name: str) -> Settings:
    """The settings of a preset by name, or of a JSON file of one's own by path."""
    if name.endswith(".json"):
        return _read(Path(name))
    if name not in preset_names():
        raise UserError(f"There is no preset {name!r}", remedy=f"choose one of {', '.join(preset_names())}")
    return _read(resource_path("presets") / f"{name}.json")


def checked(settings: Settings) -> Settings:
    """The settings, or a sentence about the first thing that is wrong with them."""
    if problems := settings.problems():
        raise UserError(f"The settings do not make sense: {problems[0]}", remedy="change it with --set key=value")
    return settings


def changed_settings(base: Settings, changes: Mapping[str, Any]) -> Settings:
    """The settings with some of them changed by name, or a sentence about the first change that makes no sense."""
    try:
        return checked(Settings.from_json(changes, base))
    except ValueError as error:
        raise UserError(f"The training settings do not make sense: {error}") from error


def stored_settings(run: Path) -> Settings:
    """The settings a run was started with."""
    path = run / "settings.json"
    if not path.exists():
        raise UserError("holds no run to resume", file=run, remedy="check the folder, or start it without --resume")
    return _read(path, coarsen=False)  # as runs did before it was a setting


def _read(path: Path, **unsaid: object) -> Settings:
    content = read_json(path)
    try:
        if not isinstance(content, dict):
            raise ValueError("it is not a JSON object")
        content.pop("about", None)
        return checked(Settings.from_json({**unsaid, **content}))
    except ValueError as error:
        raise UserError(f"is not a preset: {error}", file=path, remedy="see docs/method.md for the settings") from error
