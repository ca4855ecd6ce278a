"""Evaluation of estimates against a known truth."""
