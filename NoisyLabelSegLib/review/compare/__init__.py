"""Comparing annotators with a reference: error maps, statistics, mistakes."""
