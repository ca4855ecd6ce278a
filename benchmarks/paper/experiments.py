"""The experiments of `noisylabelseg reproduce`: a name, what it shows, and the tables and figures of the paper."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Experiment:
    """`module` below benchmarks.paper has `run(trainings) -> Outcome`."""

    name: str
    shows: str
    of_the_paper: str
    module: str


EXPERIMENTS = (
    Experiment(
        "dense",
        "Dice and CM error of every method, all labels",
        "Table 1 (MNIST, MS) and Table 4 (BraTS, LIDC-IDRI)",
        "tables",
    ),
    Experiment(
        "one-label",
        "the same with one label per image",
        "Table 2 (MNIST, MS) and Table 5 (BraTS, LIDC-IDRI)",
        "tables",
    ),
    Experiment("ged", "generalized energy distance beside Probabilistic U-Net", "Table 3", "tables"),
    Experiment("low-rank", "rank-1 matrices beside full ones", "Table 6", "low_rank"),
    Experiment("settings", "the presets beside the paper's hyper-parameters", "Table 7", "settings"),
    Experiment(
        "segmentations",
        "labels of annotators, and what the models predict",
        "figures: segmentation labels and predictions, MNIST and MS (dense; one label), BraTS, LIDC-IDRI",
        "pictures",
    ),
    Experiment("lambda", "Dice on validation cases over epochs, by lambda", "figure: validation accuracy", "lambdas"),
    Experiment("noise", "Dice over the annotators' noise", "figure: accuracy over annotation noise", "noise"),
    Experiment(
        "matrices",
        "true, false positive and false negative probabilities of every annotator beside their targets",
        "figures: estimated confusion matrices, MNIST and MS (dense; one label)",
        "pictures",
    ),
    Experiment(
        "consensus", "predicted consensus over that of the readers", "figure: consensus on LIDC-IDRI", "consensus"
    ),
    Experiment(
        "consensus-groups",
        "Dice where the readers agree little, more and much",
        "figure: subgroups by consensus on LIDC-IDRI",
        "consensus",
    ),
    Experiment("cost", "numbers and operations over the number of classes", "figure: time and space", "cost"),
    Experiment(
        "distributions",
        "GED with 16 samples of PHiSeg, a conditioned network, Probabilistic U-Net and ours",
        "section on related work; not measured there",
        "distributions",
    ),
    Experiment(
        "reference-set",
        "Dice over the number of cases with curated truth, and over that of noisy ones",
        "discussion: future work; not measured there",
        "reference_set",
    ),
)
NOT_MEASURED = ("Figure 1 of the paper is a drawing of the architecture; docs/method.md describes it.",)


def experiment(name: str) -> Experiment | None:
    return next((item for item in EXPERIMENTS if item.name == name), None)
