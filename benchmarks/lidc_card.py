"""The text of the card of the nodule model of Resources/models."""

from __future__ import annotations

from typing import Any

SOURCE = (
    "LIDC-IDRI, The Cancer Imaging Archive, Creative Commons Attribution 3.0 Unported. Armato SG III et al., Medical "
    "Physics 38:915-931, 2011; Armato SG III et al., Data From LIDC-IDRI, TCIA 2015, "
    "doi:10.7937/K9/TCIA.2015.LO9QL9SX; Clark K et al., Journal of Digital Imaging 26:1045-1057, 2013."
)


def details(found: dict[str, Any]) -> dict[str, str]:
    """The sections of the card, in the order of Mitchell et al., Model Cards for Model Reporting, 2019."""
    return {
        "training data": (
            "4194 axial slices of 1081 nodules of 410 patients of LIDC-IDRI, each with four reader slots; a reader who "
            "did not outline a nodule counts as an empty mask. " + SOURCE
        ),
        "who the annotators are": (
            "slot1 to slot4 are places in the file of a scan, not persons: readers are anonymous and differ from scan "
            "to scan, and those who outlined a nodule come first, so that slot4 is empty most often."
        ),
        "metrics": _figures(found),
        "limitations": (
            f"Of the slices that all four readers outlined, {found['missed']} had an outline with a Dice below 0.1 to "
            "the readers. Other diseases and data sets were not tested. Outlines are made slice by slice."
        ),
        "ethical considerations": (
            "Patients were de-identified by TCIA, which asks users not to try to identify them. Sex, age and origin of "
            "the patients are not known here, so that differences between groups were not examined."
        ),
    }


def _figures(found: dict[str, Any]) -> str:
    """What was measured on the test patients, a line for each question."""
    four, every = found["allFourMasks"], found["emptyMasksCountZero"]
    near, middle = four["surfaceDice"], found["shareOfReadersMiddle"]
    sizes = "; ".join(
        f"{name} {part['diceToReaders']:.3f} and {part['diceBetweenReaders']:.3f} ({part['slices']} slices)"
        for name, part in found["bySize"].items()
    )
    return (
        "Measured on 88 patients who were not used in training.\n"
        f"Slices that all four readers outlined ({four['slices']}): Dice of the model to a reader "
        f"{four['diceToReaders']:.3f}, of two readers to each other {four['diceBetweenReaders']:.3f}; surface Dice "
        f"within 1 pixel {near['toReaders']:.3f} and {near['betweenReaders']:.3f}; Dice of the model to the pixels "
        f"that two or more readers marked {four['diceToConsensus']:.3f}.\n"
        f"The same Dice by the mean area of the outlines: {sizes}.\n"
        f"All {every['slices']} slices, where an outline against an empty mask counts 0: Dice to a reader "
        f"{every['diceToReaders']:.3f}, between readers {every['diceBetweenReaders']:.3f}.\n"
        f"{found['samples']} samples beside the four readers, all slices: GED with 1 - IoU {every['ged_iou']:.3f} "
        f"(one outline in place of samples: {every['ged_iou_of_one_outline']:.3f}), HM-IoU {every['hm_iou']:.3f}.\n"
        "Predicted share of readers who mark a pixel: mean calibration error "
        f"{found['shareOfReadersECE']:.4f}. Where the model expects 0.3 to 0.7 of the readers, it expects "
        f"{middle['predicted']:.2f} on average, and {middle['marked']:.2f} marked the pixel."
    )
