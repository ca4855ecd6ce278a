"""Whole pictures of a review, made off-screen: one view per annotator in a grid."""

from __future__ import annotations

from collections.abc import Sequence

from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.headless import HeadlessSlicer
from NoisyLabelSegLib.scene.layout import columnsFor, viewName
from NoisyLabelSegLib.scene.offscreen import OffscreenView, Picture, gridOf
from NoisyLabelSegLib.scene.views import ReviewViews


def reviewPicture(
    app: HeadlessSlicer,
    folder: CaseFolder,
    *,
    annotators: Sequence[str] | None = None,
    orientation: str = "Axial",
    place: Sequence[float] | None = None,
    veil: bool = False,
    zoom: float = 1.0,
    size: tuple[int, int] = (320, 320),
) -> Picture:
    """What ReviewViews.showEach() shows of a case that is in the scene, at a place (LPS, mm) or in its middle.

    With `zoom` above 1 the views come closer to the place; the scene is afterwards as it was before.
    """
    views = ReviewViews(app.scene, app.applicationLogic)
    names = tuple(folder.annotators if annotators is None else annotators)
    views.showEach(folder, names, orientation=orientation)
    if veil:
        views.showVeil(folder)
    opened = [OffscreenView(app.scene, app.applicationLogic, viewName(index), size) for index in range(len(names))]
    try:
        views.fit()
        if place is not None:
            views.jumpTo(folder, place, centered=zoom > 1, mark=False)
        for view in opened:
            width, height, depth = view.node.GetFieldOfView()
            view.node.SetFieldOfView(width / zoom, height / zoom, depth)
        return gridOf([view.picture() for view in opened], columnsFor(len(names)))
    finally:
        for view in opened:
            view.close()
        views.restore()
