"""The coupled networks: a trunk, a head for the truth, one for the annotators' errors, and what they are taught."""

from NoisyLabelSegLib.networks.architecture import Architecture
from NoisyLabelSegLib.networks.coupled import CoupledNetwork, Prediction

__all__ = ["Architecture", "CoupledNetwork", "Prediction"]
