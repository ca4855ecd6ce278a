"""Rows for CSV and JSON."""

from __future__ import annotations

import csv
import io
import json

import numpy as np

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.output import csv_text
from NoisyLabelSegLib.review import review_case
from NoisyLabelSegLib.review.tables import MISTAKE_COLUMNS, json_text, mistake_row, statistics_row


def test_what_does_not_exist_is_empty_in_csv_and_null_in_json() -> None:
    nothing = np.zeros((4, 4), np.uint8)
    row = statistics_row(review_case({"r": nothing}, nothing, Geometry.plain((4, 4)), case="c").statistics[0])
    (line,) = csv.DictReader(io.StringIO(csv_text([row])))
    assert (line["case"], line["annotator"], line["dice"], line["sensitivity"]) == ("c", "r", "1", "")
    assert json.loads(json_text(row))["sensitivity"] is None


def test_a_mistake_of_a_picture_leaves_the_third_axis_empty() -> None:
    truth = np.zeros((20, 20), np.uint8)
    truth[5:10, 5:10] = 1
    (mistake,) = review_case({"r": truth * 0}, truth, Geometry.plain((20, 20))).mistakes
    row = mistake_row(mistake, "Missed it.")
    assert tuple(row) == MISTAKE_COLUMNS
    assert (row["kind"], row["center_x_lps"], row["center_z_lps"], row["extent_z"]) == ("missed object", 7, None, None)
