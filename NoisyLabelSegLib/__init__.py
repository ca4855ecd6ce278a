"""Several people outlined the same scans and disagree: estimate the truth and each annotator's errors.

Importing this package loads nothing heavy; each room (`cases`, `fusion`, `review`, ...) is imported by name.
"""

__version__ = "0.1.0"
