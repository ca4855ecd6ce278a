"""Work that comes in steps, so that a window stays alive between them."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, Protocol, TypeVar

Result = TypeVar("Result")
LARGE_VOXELS = 2_000_000
"""Voxels times annotators times classes beyond which work is not done before a click returns."""
Work = Generator[str, None, Any]
"""Each step yields a sentence about what comes next, or nothing to say."""


def isLarge(voxels: int, annotators: int, classes: int = 2) -> bool:
    """Whether work on the labels of a case of so many voxels would keep people waiting; background is no class."""
    return voxels * max(annotators, 1) * max(classes - 1, 1) > LARGE_VOXELS


class Runner(Protocol):
    """Does one piece of work at a time; a newer one takes the place of what is not done yet."""

    def run(self, work: Work, *, large: bool, onFailed: Callable[[], None] = ...) -> None:
        """Large work is done little by little, other work before this returns."""

    def finish(self) -> None:
        """Does what is left now."""

    def cancel(self) -> None:
        """Leaves what is left undone."""


class AtOnce:
    """Does everything at once: for scripts, where no window waits."""

    def run(self, work: Work, *, large: bool, onFailed: Callable[[], None] = lambda: None) -> None:  # noqa: ARG002
        for _ in work:
            pass

    def finish(self) -> None:
        """There is never anything left."""

    def cancel(self) -> None:
        """There is never anything left."""


def told(sentence: str, work: Generator[str, None, Result]) -> Generator[str, None, Result]:
    """The same work, with one sentence for all its steps; `{step}` in it stands for what the step yields itself."""
    while True:
        try:
            step = next(work)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        yield sentence.format(step=step)
