"""Using a trained model: predicting arrays, cases and folders of images."""

from NoisyLabelSegLib.inference.model import Model, PredictionOutputs, load_model
from NoisyLabelSegLib.inference.predictor import Predictor
from NoisyLabelSegLib.inference.run import predict_cases

__all__ = ["Model", "PredictionOutputs", "Predictor", "load_model", "predict_cases"]
