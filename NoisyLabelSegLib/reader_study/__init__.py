"""Reader studies without a server: blinded packages for readers, and what came back."""

from NoisyLabelSegLib.reader_study.collect import Collection, collect
from NoisyLabelSegLib.reader_study.handout import hand_out
from NoisyLabelSegLib.reader_study.key import HandoutKey, Item
from NoisyLabelSegLib.reader_study.worklist import Entry, Worklist

__all__ = ["Collection", "Entry", "HandoutKey", "Item", "Worklist", "collect", "hand_out"]
