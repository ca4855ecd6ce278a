"""Many labels to one: every method behind one call, fuse()."""

from NoisyLabelSegLib.fusion.methods import METHODS, Method
from NoisyLabelSegLib.fusion.result import Fusion
from NoisyLabelSegLib.fusion.votes import Votes, fuse

__all__ = ["METHODS", "Fusion", "Method", "Votes", "fuse"]
