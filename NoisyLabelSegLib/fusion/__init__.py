"""Many labels to one: every method behind one call, fuse()."""

from NoisyLabelSegLib.fusion.methods import DEFAULT, METHODS, Method
from NoisyLabelSegLib.fusion.result import Fusion
from NoisyLabelSegLib.fusion.votes import Votes, fuse

__all__ = ["DEFAULT", "METHODS", "Fusion", "Method", "Votes", "fuse"]
