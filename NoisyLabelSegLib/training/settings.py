"""Everything a training can be told: one record for presets, --set, checkpoints and model packages alike."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from NoisyLabelSegLib.training.setting_rules import setting_problems


@dataclass(frozen=True)
class Settings:
    """The defaults need no tuning; Resources/presets/*.json name other values.

    Lengths of time are shares of all steps (`warm_up`, `freeze`), so that they hold for any number of epochs.
    """

    # What is learned, and from what.
    target: str = "coupled"  # or a fused label: majority, mean, staple, spatial-staple; or truth
    confusion: str = "pixel"  # or low-rank, global, oracle-cm
    rank: int = 1
    likelihood: str = "joint"  # the annotators of a pixel share its true class; or each: every one alone
    reliability: float = 3.0  # weight of the vote of the trusted, on images that several annotators labelled
    completion: float = 1.0  # weight of the panel's vote, partly guessed, on images that a single annotator labelled
    as_given: float = 0.3  # share of the steps in which single labels teach p as they are, before guesses do
    overlap: float = 1.0  # weight of 1 - Dice beside every cross-entropy to a vote, a fused label or the truth
    trace: float = 0.1  # lambda of the paper; where reliability is on, for images with a single label only
    hinge: float = 0.0
    margin: float = 0.3
    start_diagonal: float = 0.88
    freeze: float = 0.0  # the annotators' head does not learn before this share of the steps
    identity_warm_up: float = 0.0  # the trace is maximised, the paper's warm-up, for this share of the steps

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
            raise ValueError(f"there is no setting {unknown[0]!r}; the settings are {', '.join(names)}")
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
