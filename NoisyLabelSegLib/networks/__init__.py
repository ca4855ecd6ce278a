"""The coupled networks: a trunk, a head for the truth, a head for every annotator's errors, and what they are taught."""

from NoisyLabelSegLib.networks.architecture import Architecture
from NoisyLabelSegLib.networks.coupled import CoupledNetwork, Prediction

__all__ = ["Architecture", "CoupledNetwork", "Prediction"]
