"""Stand-in for the SampleData module: remembers what is registered and loads it when its button is clicked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass
class Source:
    category: str
    sampleName: str
    uris: Any
    fileNames: Any
    nodeNames: Any
    customDownloader: Any = None
    thumbnailFileName: str | None = None


class SampleDataLogic:
    sources: ClassVar[list[Source]] = []
    titles: ClassVar[dict[str, str]] = {}

    @staticmethod
    def registerCustomSampleDataCategory(category: str, title: str) -> None:
        SampleDataLogic.titles[category] = title

    @staticmethod
    def registerCustomSampleDataSource(
        category: str = "Custom",
        sampleName: str = "",
        uris: Any = None,
        fileNames: Any = None,
        nodeNames: Any = None,
        customDownloader: Any = None,
        thumbnailFileName: str | None = None,
    ) -> None:
        if uris is None or fileNames is None or nodeNames is None:
            raise ValueError("uris, fileNames and nodeNames must be given, dummies where a downloader makes the data")
        source = Source(category, sampleName, uris, fileNames, nodeNames, customDownloader, thumbnailFileName)
        SampleDataLogic.sources = [known for known in SampleDataLogic.sources if known.sampleName != sampleName]
        SampleDataLogic.sources.append(source)

    @staticmethod
    def click(sampleName: str) -> None:
        """What the button of the Sample Data module does."""
        source = next(source for source in SampleDataLogic.sources if source.sampleName == sampleName)
        source.customDownloader(source)
