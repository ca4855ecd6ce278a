"""Dice, confusion-matrix errors, GED, agreement and calibration, exactly as docs/method.md defines them."""
