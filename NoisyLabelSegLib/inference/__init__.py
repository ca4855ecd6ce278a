"""Using a trained model: predicting whole images and volumes, and looking into model packages."""

from NoisyLabelSegLib.inference.predictor import Predictor
from NoisyLabelSegLib.inference.run import predict_cases

__all__ = ["Predictor", "predict_cases"]
