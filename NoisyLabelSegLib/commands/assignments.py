"""The words that follow --set: `option=value`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from NoisyLabelSegLib.errors import UserError


def assigned(words: Iterable[str], form: str) -> dict[str, Any]:
    """What the words set, values written as in JSON; text needs no quotes. `form` says how a word should look."""
    values = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise UserError(f"--set {word} has no value", remedy=f"write --set {form}")
        try:
            values[name.strip()] = json.loads(value)
        except ValueError:
            values[name.strip()] = value.strip()
    return values
