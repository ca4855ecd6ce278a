"""The paper's table of hyper-parameters beside the presets `paper-*`."""

from __future__ import annotations

from benchmarks.paper.outcome import PUBLISHED, Outcome
from benchmarks.paper.studies import TITLES
from benchmarks.paper.trainings import Trainings
from NoisyLabelSegLib.training import preset

SAYS = (
    "The paper maximizes the trace for sufficient iterations; here the warm-up takes the first tenth of the steps.",
    "The paper names channels for four stages; the fifth, below the fourth down-sampling, has 256 as in its release.",
    "Everything else in the paper's section on implementation is checked by Testing/training/test_paper_presets.py.",
)


def run(_name: str, _trainings: Trainings) -> Outcome:
    rows = []
    for data_set, paper in PUBLISHED["settings"].items():
        ours = preset(f"paper-{data_set}").to_json()
        for key, value in paper.items():
            rows.append([TITLES[data_set], key, f"{value:g}", f"{ours[key]:g}"])
    return Outcome("Hyper-parameters", ["data", "setting", "paper", "preset"], rows, SAYS)
