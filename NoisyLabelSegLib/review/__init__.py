"""Error maps, statistics, mistakes, plain words, whom to ask next, and the report."""
