"""What can be asked of a simulated study."""

from __future__ import annotations

from dataclasses import dataclass

from NoisyLabelSegLib.errors import UserError

SPLITS = ("train", "validate", "test")


@dataclass(frozen=True)
class SimulationSettings:
    """None stands for the phantom's own default; `size` and `spacing` (mm) in x, y, z order.

    `missing` is None for one label per image, else the chance that an annotator skips a case (0: dense); at least one
    annotator always labels it. The splits in `dense_splits` stay dense whatever is missing elsewhere.
    """

    cases: int | None = None
    size: tuple[int, ...] | None = None
    spacing: tuple[float, ...] | None = None
    seed: int = 0
    missing: float | None = 0.0
    panel: str | None = None
    mean_dice: float | None = None
    shares: tuple[float, float, float] = (0.7, 0.1, 0.2)
    dense_splits: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.cases is not None and self.cases < 1:
            raise UserError(f"A study cannot have {self.cases} cases", remedy="ask for at least one")
        if self.seed < 0:
            raise UserError(f"The seed {self.seed} is negative", remedy="use 0 or more")
        if self.missing is not None and not 0 <= self.missing < 1:
            raise UserError(f"A missing rate of {self.missing:g} is not between 0 and 1")
        if self.mean_dice is not None and not 0 < self.mean_dice <= 1:
            raise UserError(f"A mean Dice of {self.mean_dice:g} is not between 0 and 1")
        if min(self.shares) < 0 or abs(sum(self.shares) - 1) > 1e-6:
            raise UserError("The shares of train, validate and test must sum to 1", remedy="for example 0.7,0.1,0.2")
        if self.size is not None and not all(4 <= length <= 2048 for length in self.size):
            raise UserError("Each side of an image must have 4 to 2048 voxels")
        if self.spacing is not None and not all(0 < edge <= 1000 for edge in self.spacing):
            raise UserError("The spacing must be in millimeters, above 0")
        unknown = [name for name in self.dense_splits if name not in SPLITS]
        if unknown:
            raise UserError(f"There is no split {unknown[0]!r}", remedy=f"choose among {', '.join(SPLITS)}")
