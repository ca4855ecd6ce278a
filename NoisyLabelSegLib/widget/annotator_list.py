"""Who outlined the open case, as the parameter node keeps it: names, nodes, segments, and who is not ticked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from NoisyLabelSegLib.scene.sources import AnnotatorSource


class AnnotatorList:
    """`parameters` is the panel's parameter node wrapper."""

    def __init__(self, parameters: Any) -> None:
        self._parameters = parameters

    @property
    def sources(self) -> list[AnnotatorSource]:
        """Everybody whose node is still in the scene."""
        entries = zip(self._parameters.names, self._parameters.nodes, self._parameters.segments, strict=True)
        return [AnnotatorSource(name, node, segment) for name, node, segment in entries if node is not None]

    @property
    def hasMissing(self) -> bool:
        """Whether the node of somebody was deleted."""
        return any(node is None for node in self._parameters.nodes)

    @property
    def used(self) -> tuple[str, ...]:
        """Those who are ticked."""
        return tuple(source.name for source in self.sources if source.name not in self._parameters.ignored)

    def use(self, name: str, *, used: bool) -> None:
        """Ticks or unticks an annotator."""
        ignored = [other for other in self._parameters.ignored if other != name]
        self._parameters.ignored = ignored if used else [*ignored, name]

    def put(self, sources: Sequence[AnnotatorSource]) -> None:
        """Takes these in place of those before; who was not ticked stays so."""
        self._parameters.names = [source.name for source in sources]
        self._parameters.nodes = [source.node for source in sources]
        self._parameters.segments = [source.segmentId for source in sources]
        self._parameters.ignored = [name for name in self._parameters.ignored if name in self._parameters.names]
