"""Words for people: numbers with their nouns, and text of unknown origin on a terminal."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What a terminal would obey instead of showing it, or cannot show; tabs and line ends may stay."""


def counted(count: int, one: str, many: str = "") -> str:
    """The number with its noun, and what agrees with it: "1 case", "2 cases"; `many` defaults to `one` with an s."""
    return f"{count} {one if count == 1 else many or f'{one}s'}"


def shown(text: str) -> str:
    """The text with a question mark for every character that would control a terminal, as names in files may hold."""
    return _CONTROL.sub("?", text)
