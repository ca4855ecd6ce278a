"""Many labels to one: every method behind one call, fuse()."""
