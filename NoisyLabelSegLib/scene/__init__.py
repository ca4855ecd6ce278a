"""MRML in and out: cases as nodes, results as nodes, the views of a review, and pictures of them."""
