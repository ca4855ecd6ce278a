"""The demo case with the default method: whoever drew the known truth comes first, and the estimate is close to it."""

from __future__ import annotations

import numpy as np

from NoisyLabelSegLib.fusion import DEFAULT


def test_good_comes_first_and_the_estimate_is_close_to_the_known_truth(host, module):
    panel = module.panel
    panel.opening.openDemo()
    host.wait_for(lambda: panel.annotators.review is not None, seconds=120)
    assert panel.truthSection.method == DEFAULT
    rows = {row.annotator: row.dice for row in panel.annotators.review.statistics}
    assert max(rows, key=rows.get) == "good", rows
    known = panel.case.labels()["good"]  # who drew the truth
    found = panel.truth.truth
    assert 2 * np.count_nonzero(found & known) / (found.sum() + known.sum()) >= 0.95
