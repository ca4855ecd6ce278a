"""Benchmarks and the experiments of the paper, as commands of the repository; no part of the installed package."""
