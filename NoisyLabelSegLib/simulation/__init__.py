"""Annotators that err on purpose, and phantom studies."""

from NoisyLabelSegLib.simulation.annotators import AnnotatorPanel, SimulatedAnnotator, read_panel, shipped_panels
from NoisyLabelSegLib.simulation.digits import digits_recipe
from NoisyLabelSegLib.simulation.phantoms import phantom_recipe
from NoisyLabelSegLib.simulation.real_scans import real_scan_recipe
from NoisyLabelSegLib.simulation.recipe import Recipe
from NoisyLabelSegLib.simulation.scan import Scan
from NoisyLabelSegLib.simulation.settings import SimulationSettings
from NoisyLabelSegLib.simulation.strength import solve_each, solve_together
from NoisyLabelSegLib.simulation.study import SimulatedStudy, simulate_study

__all__ = [
    "AnnotatorPanel",
    "Recipe",
    "Scan",
    "SimulatedAnnotator",
    "SimulatedStudy",
    "SimulationSettings",
    "digits_recipe",
    "phantom_recipe",
    "read_panel",
    "real_scan_recipe",
    "shipped_panels",
    "simulate_study",
    "solve_each",
    "solve_together",
]
