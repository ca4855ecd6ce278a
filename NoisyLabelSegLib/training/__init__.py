"""Training the coupled networks and their baselines: settings, samples, loop, checkpoints, presets."""

from NoisyLabelSegLib.training.presets import preset
from NoisyLabelSegLib.training.run import Trained, train_study
from NoisyLabelSegLib.training.settings import Settings

__all__ = ["Settings", "Trained", "preset", "train_study"]
