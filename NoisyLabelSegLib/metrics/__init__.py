"""Dice, confusion-matrix errors, GED, agreement and calibration, exactly as docs/metrics.md defines them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from NoisyLabelSegLib.lazy import attach

if TYPE_CHECKING:
    from NoisyLabelSegLib.metrics.agreement import consensus, correlation, ged
    from NoisyLabelSegLib.metrics.calibration_error import Calibration, calibration
    from NoisyLabelSegLib.metrics.confusion import (
        ConfusionErrors,
        confusion_errors,
    )
    from NoisyLabelSegLib.metrics.distributions import (
        crps_volume,
        dice_match,
        dice_max,
        dice_soft,
        ged_iou,
        hm_iou,
    )
    from NoisyLabelSegLib.metrics.overlap import (
        dice,
        dice_of_counts,
        dice_of_sizes,
        dice_per_class,
        iou_of_counts,
        joint_counts,
        pairwise_counts,
    )

__getattr__, __all__ = attach(__name__, __file__)
