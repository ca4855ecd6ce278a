"""Dice, confusion-matrix errors, GED, agreement and calibration, exactly as docs/metrics.md defines them."""

from NoisyLabelSegLib.metrics.agreement import consensus, correlation, ged
from NoisyLabelSegLib.metrics.calibration import Calibration, calibration
from NoisyLabelSegLib.metrics.confusion import ConfusionErrors, confusion_errors
from NoisyLabelSegLib.metrics.distributions import crps_volume, dice_match, dice_max, dice_soft, ged_iou, hm_iou
from NoisyLabelSegLib.metrics.overlap import (
    dice,
    dice_of_counts,
    dice_of_sizes,
    dice_per_class,
    iou_of_counts,
    joint_counts,
    pairwise_counts,
)

__all__ = [
    "Calibration",
    "ConfusionErrors",
    "calibration",
    "confusion_errors",
    "consensus",
    "correlation",
    "crps_volume",
    "dice",
    "dice_match",
    "dice_max",
    "dice_of_counts",
    "dice_of_sizes",
    "dice_per_class",
    "dice_soft",
    "ged",
    "ged_iou",
    "hm_iou",
    "iou_of_counts",
    "joint_counts",
    "pairwise_counts",
]
