"""The demo: the whole story on a phantom study."""
