"""Benchmarks and the paper's tables, as commands. Nothing in the library depends on this room."""
