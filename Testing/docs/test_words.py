"""Pages, messages, tooltips and report sentences use the terms of the field, and the front page stays short."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = [*(REPOSITORY / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md"))]
PAGES += [*sorted((REPOSITORY / "docs").glob("*.md")), *sorted((REPOSITORY / ".github").rglob("*.md"))]
PROGRAM = [
    *sorted((REPOSITORY / "NoisyLabelSegLib").rglob("*.py")),
    *sorted((REPOSITORY / "NoisyLabelSeg").rglob("*.py")),
    *sorted((REPOSITORY / "benchmarks").glob("*.py")),
    *sorted((REPOSITORY / "Resources").rglob("*.ui")),
    *sorted((REPOSITORY / "Resources").rglob("*.json")),
    *sorted((REPOSITORY / "Resources" / "report").glob("*.js")),
]
INSTEAD = {
    r"first look": "a short training, for small scans",
    r"asked about once|asked about mirrored": "without or with test-time augmentation",
    r"teachers?|taught": "trained on, reference",
    r"second head": "the annotator network",
    r"to neither side": "without a bias outward or inward",
    r"false marks": "false positive objects",
    r"confetti|specks?": "small components",
    r"wanted / seen|wanted: below": "target and measured value",
    r"whom the networks": "the labels that the networks are trained on",
    r"the trusted": "a reliability-weighted vote",
    r"hushed": "masked or weighted",
    r"missed_overlap": "dice_loss",
    r"whole story|tells? its story|sharpen pencils": "all steps",
    r"flatter(s|ing|ed)?": "is too optimistic",
    r"colours?|learnt|grey values": "US English",
    r"has a pulse": "reports that it is working",
}
"""Words that readers cannot know, and what to say instead."""
MOST_WORDS = 1100


@pytest.mark.parametrize("word", INSTEAD)
def test_words_that_only_we_would_understand_are_not_used(word: str) -> None:
    spaced = word.replace(" ", r"\s+")
    pattern = re.compile(rf"(?<![\w-])(?:{spaced})(?![\w-])", flags=re.IGNORECASE)
    found = [
        f"{path.relative_to(REPOSITORY)}: {match.group(0)!r}"
        for path in (*PAGES, *PROGRAM)
        for match in pattern.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == [], f"write: {INSTEAD[word]}"


def test_the_front_page_is_short() -> None:
    assert len((REPOSITORY / "README.md").read_text(encoding="utf-8").split()) <= MOST_WORDS
