"""The demo: simulation, fusion, training, evaluation and review on a phantom study."""
