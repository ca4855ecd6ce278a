"""MRML in and out: cases as nodes, results as nodes, the views of a review, and pictures of them."""

from NoisyLabelSegLib.scene.candidates import Candidate, findCandidates
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.headless import HeadlessSlicer
from NoisyLabelSegLib.scene.loading import loadCase, loadStudy, openStudy
from NoisyLabelSegLib.scene.nodes import Role, run, runs, undoRun
from NoisyLabelSegLib.scene.offscreen import OffscreenView, gridOf, reviewPicture, writePng
from NoisyLabelSegLib.scene.places import positionOf
from NoisyLabelSegLib.scene.results import ResultNodes, chooseErrorColors
from NoisyLabelSegLib.scene.scene_case import SceneCase, adoptNodes, caseFromScene, caseOfFolder
from NoisyLabelSegLib.scene.sources import AnnotatorSource, labelsOnGrid
from NoisyLabelSegLib.scene.tables import showCurves
from NoisyLabelSegLib.scene.views import ReviewViews

__all__ = [
    "AnnotatorSource",
    "Candidate",
    "CaseFolder",
    "HeadlessSlicer",
    "OffscreenView",
    "ResultNodes",
    "ReviewViews",
    "Role",
    "SceneCase",
    "adoptNodes",
    "caseFromScene",
    "caseOfFolder",
    "chooseErrorColors",
    "findCandidates",
    "gridOf",
    "labelsOnGrid",
    "loadCase",
    "loadStudy",
    "openStudy",
    "positionOf",
    "reviewPicture",
    "run",
    "runs",
    "showCurves",
    "undoRun",
    "writePng",
]
