"""Stand-in for slicer.i18n: no translation, but the rules that make one possible are kept."""

from __future__ import annotations

import slicer


def tr(text: str) -> str:
    if not isinstance(text, str):
        raise TypeError("only text can be translated")
    return text


def translate(context: str, text: str) -> str:
    return str(slicer.app.translate(context, text))
