"""Numbers in sentences: singular and plural."""

from __future__ import annotations


def counted(count: int, one: str, many: str = "") -> str:
    """The number with its noun, and what agrees with it: "1 case", "2 cases"; `many` defaults to `one` with an s."""
    return f"{count} {one if count == 1 else many or f'{one}s'}"
