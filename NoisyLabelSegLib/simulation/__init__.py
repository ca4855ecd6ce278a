"""Annotators that err on purpose, and phantom studies."""
