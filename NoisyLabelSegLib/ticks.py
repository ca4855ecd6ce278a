"""Round numbers for the axes of plots."""

from __future__ import annotations

import math


def round_ticks(low: float, high: float) -> list[float]:
    """About five round numbers that cover the range; one that is empty but for rounding errors becomes 2 wide."""
    if high - low <= 1e-6 * max(1.0, abs(low), abs(high)):
        low, high = low - 1, high + 1
    raw = (high - low) / 4
    power = 10 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(index * step, 10) for index in range(first, last + 1)]
