from __future__ import annotations

import numpy as np
import pytest

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.metrics import dice
from NoisyLabelSegLib.simulation import Scan, SimulatedAnnotator, solve_each, solve_together
from NoisyLabelSegLib.simulation.scan import seeded, smooth_noise
from NoisyLabelSegLib.simulation.strength import dice_to_truth

PAPER = [SimulatedAnnotator(kind, kind) for kind in ("over", "under", "wrong")]
GRIDS = {"2D": ((40, 40), (1.0, 1.5)), "3D": ((10, 32, 32), (5.0, 1.2, 1.2))}


@pytest.fixture(params=GRIDS)
def scans(request) -> list[Scan]:
    """Four cases of a few irregular objects on an anisotropic grid."""
    shape, spacing = GRIDS[request.param]
    fields = [smooth_noise(seeded(number), shape, spacing, 14.0) for number in range(4)]
    return [Scan(str(number), (field > 1.0).astype(np.uint8), spacing) for number, field in enumerate(fields)]


def drawn_dice(annotators, scans) -> float:
    return float(np.mean([dice(annotator.draw(scan, 3), scan.truth) for annotator in annotators for scan in scans]))


@pytest.mark.parametrize("wanted", [0.5, 0.6, 0.7, 0.8, 0.9])
def test_a_wanted_mean_dice_is_reached(wanted, scans):
    solved = solve_together(PAPER, scans, 3, wanted)
    assert drawn_dice(solved, scans) == pytest.approx(wanted, abs=0.02)


@pytest.mark.parametrize("kind", ["over", "under", "wrong", "shifted", "smoothing", "shaky"])
def test_each_annotator_reaches_a_dice_of_its_own(kind, scans):
    solved = solve_each([SimulatedAnnotator("a", kind, dice=0.75)], scans, 3)
    assert drawn_dice(solved, scans) == pytest.approx(0.75, abs=0.02)
    assert solved[0].dice is None


def test_good_and_blank_annotators_count_in_the_mean(scans):
    panel = [SimulatedAnnotator("good", "good"), SimulatedAnnotator("blank", "blank"), *PAPER]
    solved = solve_together(panel, scans, 3, 0.6)
    assert drawn_dice(solved, scans) == pytest.approx(0.6, abs=0.02)
    assert drawn_dice(solved[2:], scans) == pytest.approx(2 / 3, abs=0.04)


def test_one_factor_keeps_annotators_as_different_as_they_were(scans):
    panel = [SimulatedAnnotator("little", "over", 0.5), SimulatedAnnotator("much", "over", 1.5)]
    little, much = solve_together(panel, scans, 3, 0.7)
    assert much.start_strength == pytest.approx(3 * little.start_strength)


def test_a_dice_out_of_reach_is_refused_with_the_closest(scans):
    with pytest.raises(UserError, match=r"closest is 0\.5"):
        solve_together([SimulatedAnnotator("good", "good"), SimulatedAnnotator("blank", "blank")], scans, 3, 0.9)


def test_the_room_counts_dice_as_the_metrics_do():
    random = np.random.default_rng(0)
    truth, labels = random.integers(0, 4, (2, 6, 6), dtype=np.uint8)
    for classes in (4, 6):
        scan = Scan("a", truth, (1.0, 1.0), classes)
        assert dice_to_truth(labels, scan) == pytest.approx(dice(labels, truth, classes))
