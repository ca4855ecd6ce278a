"""What a network is made of: enough to build it again from a model package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

CONFUSIONS = ("pixel", "low-rank", "global", "none")


@dataclass(frozen=True)
class Architecture:
    """The arguments of a SegmentationNetwork.

    `network` is the kind of network, a name in networks/registry.py, and `network_arguments` are those that this kind
    alone has. `confusion` says how annotators' matrices are made: one per "pixel", "low-rank" (with `rank`), "global",
    or "none" for a network without annotators. `start_diagonal` is the a_jj that training starts from: near the
    identity, or the classes may end up swapped. `trunk` is "unet", or the name of a network of MONAI with its
    `trunk_arguments`.
    """

    dimensions: int
    channels: int
    classes: int
    annotators: int
    confusion: str = "pixel"
    rank: int = 1
    start_diagonal: float = 0.88
    trunk: str = "unet"
    widths: tuple[int, ...] = (32, 64, 128, 256)
    trunk_arguments: Mapping[str, Any] = field(default_factory=dict)
    network: str = "coupled"
    network_arguments: Mapping[str, Any] = field(default_factory=dict)

    def problems(self) -> list[str]:
        """What cannot be built, in words; empty when all is well."""
        checks = [
            (self.dimensions in (2, 3), f"dimensions must be 2 or 3, not {self.dimensions}"),
            (1 <= self.channels <= 64, f"channels must be 1 to 64, not {self.channels}"),
            (2 <= self.classes <= 256, f"classes must be 2 to 256, not {self.classes}"),
            (1 <= self.annotators <= 1000, f"annotators must be 1 to 1000, not {self.annotators}"),
            (self.confusion in CONFUSIONS, f"confusion must be one of {', '.join(CONFUSIONS)}, not {self.confusion!r}"),
            (
                1 <= self.rank <= self.classes,
                f"rank must be 1 to the number of classes ({self.classes}), not {self.rank}",
            ),
            (0 < self.start_diagonal < 1, f"start_diagonal must be between 0 and 1, not {self.start_diagonal}"),
            (
                1 <= len(self.widths) <= 8 and all(1 <= width <= 4096 for width in self.widths),
                f"widths must be 1 to 8 numbers from 1 to 4096, not {list(self.widths)}",
            ),
            *(
                (_is_modest(value), f"argument {name[:60]!r} holds a number or list that is too large")
                for arguments in (self.trunk_arguments, self.network_arguments)
                for name, value in arguments.items()
            ),
        ]
        return [problem for holds, problem in checks if not holds]

    def to_json(self) -> dict[str, Any]:
        """The fields as JSON values; `network` and its arguments only where they are not the default.

        So the packages of coupled networks stay as they were, and open in versions that know no other kind.
        """
        content = {**asdict(self), "widths": list(self.widths), "trunk_arguments": dict(self.trunk_arguments)}
        if self.network == Architecture.network:
            del content["network"]
        if not self.network_arguments:
            del content["network_arguments"]
        return content

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Architecture:
        """Raises ValueError, in words, for what is missing, unknown or of the wrong type."""
        types = {item.name: _JSON_TYPES[str(item.type)] for item in fields(cls)}
        for name, value in content.items():
            if name not in types:
                raise ValueError(f"the architecture has an unknown entry {name!r}")
            if not isinstance(value, types[name]) or isinstance(value, bool):
                raise ValueError(f"the architecture's {name!r} is of the wrong type")
        missing = [name for name in ("dimensions", "channels", "classes", "annotators") if name not in content]
        if missing:
            raise ValueError(f"the architecture has no {missing[0]!r}")
        widths = content.get("widths", cls.widths)
        if not all(isinstance(width, int) and not isinstance(width, bool) for width in widths):
            raise ValueError("the architecture's 'widths' are not whole numbers")
        architecture = cls(**{**content, "widths": tuple(widths)})
        if problems := architecture.problems():
            raise ValueError(f"the architecture's {problems[0]}")
        return architecture


_LARGEST_ARGUMENT, _LONGEST_ARGUMENT = 100_000, 1000


def _is_modest(value: Any) -> bool:
    """Whether an argument holds no number beyond any size of a layer, nor a list beyond any number of levels."""
    if isinstance(value, (int, float)):
        return abs(value) <= _LARGEST_ARGUMENT
    if isinstance(value, Mapping):
        return len(value) <= _LONGEST_ARGUMENT and all(_is_modest(item) for item in value.values())
    if isinstance(value, (list, tuple, str)):
        return len(value) <= _LONGEST_ARGUMENT and (isinstance(value, str) or all(_is_modest(item) for item in value))
    return True


_JSON_TYPES: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "str": (str,),
    "tuple[int, ...]": (list, tuple),
    "Mapping[str, Any]": (dict,),
}
