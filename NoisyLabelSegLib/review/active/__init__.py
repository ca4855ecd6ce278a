"""Active labeling: which case and which annotator to ask next."""
