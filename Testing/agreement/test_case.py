"""One case: pairs, the consensus of the others, repeats, kappa and groups by hand."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest

from NoisyLabelSegLib.agreement.case import MOST_GROUPS, _some_groups, compare_case
from NoisyLabelSegLib.agreement.settings import AgreementSettings
from NoisyLabelSegLib.agreement.study import agree_study
from NoisyLabelSegLib.cases import Annotation, Case, Geometry, Image, Study
from NoisyLabelSegLib.fusion import fuse
from NoisyLabelSegLib.metrics import dice

MAJORITY = AgreementSettings(method="majority", tolerance_mm=1.0)


def test_a_pair_is_compared_by_overlap_border_and_size(make_study: Callable[..., Study]) -> None:
    study = make_study([{"anna": 8, "bert": 10}])
    found = compare_case(study, MAJORITY, study.cases[0]).pairs["anna", "bert"][0]
    assert found.dice == pytest.approx(2 * 80 / 180)
    assert found.difference == 20
    assert found.hd95 == 2
    assert (found.objects.hits, found.objects.overlap) == (1, pytest.approx(0.8))


def test_nobody_is_compared_with_a_consensus_they_are_part_of(make_study: Callable[..., Study]) -> None:
    study = make_study([{"anna": 4, "bert": 8, "carl": 8, "dora": 12}])
    case = study.cases[0]
    found = compare_case(study, MAJORITY, case)
    for name in study.annotators:
        others = [case.labels(other) for other in study.annotators if other != name]
        consensus = fuse(others, "majority", classes=2).labels
        assert found.leave_one_out[name][0].dice == pytest.approx(dice(consensus, case.labels(name), 2))
    assert found.leave_one_out["anna"][0].dice == pytest.approx(2 * 40 / 120)
    assert found.leave_one_out["anna"][0].difference == -40


def test_groups_of_more_readers_come_nearer_to_everyone(make_study: Callable[..., Study]) -> None:
    study = make_study([{"a": 5, "b": 7, "c": 8, "d": 9, "e": 11}])
    groups = compare_case(study, MAJORITY, study.cases[0]).groups
    assert list(groups) == [1, 2, 3, 4]
    pairs = [2 * min(a, b) / (a + b) for a, b in itertools.combinations((5, 7, 8, 9, 11), 2)]
    assert groups[1].with_left_out == pytest.approx(np.mean(pairs))
    assert groups[1].with_all < groups[3].with_all


def test_all_groups_are_tried_where_they_are_few_and_different_ones_where_many() -> None:
    random = np.random.default_rng(0)
    assert _some_groups("abc", 2, random) == [("a", "b"), ("a", "c"), ("b", "c")]
    some = _some_groups("abcdefgh", 4, random)
    assert len(set(some)) == len(some) == MOST_GROUPS


def test_kappa_looks_near_what_was_marked(make_study: Callable[..., Study]) -> None:
    study = make_study([{"anna": 8, "bert": 10}])
    near = compare_case(study, AgreementSettings(margin_mm=1.0), study.cases[0])
    assert near.region is not None
    assert near.whole_image is not None
    observed, region = 124, 12 * 12  # 80 marked by both, 44 around what either marked by none, 20 by bert alone
    first, second = 80 / region, 100 / region
    expected = first * second + (1 - first) * (1 - second)
    assert near.region.cohen["anna", "bert"] == pytest.approx((observed / region - expected) / (1 - expected))
    assert near.whole_image.fleiss > near.region.fleiss


def test_the_whole_image_counts_although_only_a_part_is_read(make_study: Callable[..., Study]) -> None:
    study = make_study([{"anna": 8, "bert": 10}])
    wide = compare_case(study, AgreementSettings(margin_mm=40.0), study.cases[0])
    narrow = compare_case(study, AgreementSettings(margin_mm=0.0), study.cases[0])
    assert wide.region is not None
    assert narrow.whole_image is not None
    assert narrow.whole_image.fleiss == pytest.approx(wide.region.fleiss)
    assert narrow.whole_image.cohen == pytest.approx(wide.region.cohen)


def test_readings_of_one_reader_are_compared_with_each_other_only(make_study: Callable[..., Study]) -> None:
    study = make_study([{"anna": [8, 10, 8], "bert": 8}])
    found = compare_case(study, MAJORITY, study.cases[0])
    assert [pair[0].dice for pair in found.within["anna"]] == pytest.approx([160 / 180, 1, 160 / 180])
    assert found.volumes["anna"] == ((80,), (100,), (80,))
    assert found.pairs["anna", "bert"][0].dice == 1
    assert "bert" not in found.within


def test_empty_masks_have_no_distance_to_others(make_study: Callable[..., Study]) -> None:
    study = make_study([{"anna": 0, "bert": 10, "carl": 0}])
    found = compare_case(study, MAJORITY, study.cases[0])
    one, both = found.pairs["anna", "bert"][0], found.pairs["anna", "carl"][0]
    assert (one.dice, one.surface_dice, one.empty) == (0, 0, 1)
    assert math.isnan(one.hd95)
    assert (both.dice, both.surface_dice, both.hd95, both.empty) == (1, 1, 0, 2)


def test_a_case_of_one_reader_alone_has_no_pairs(make_study: Callable[..., Study]) -> None:
    study = make_study([{"anna": [8, 9], "bert": 8}, {"anna": [8, 8]}])
    found = compare_case(study, MAJORITY, study.cases[1])
    assert (found.pairs, found.leave_one_out, found.groups) == ({}, {}, {})
    assert found.within["anna"][0][0].dice == 1


def test_distances_and_areas_of_pictures_without_spacing_are_pixels() -> None:
    drawn = {"a": np.eye(8, dtype=np.uint8), "b": np.eye(8, dtype=np.uint8)}
    for spacing, units in (((1.0, 1.0), ("px", "px", "area")), ((0.5, 0.5), ("mm", "mm²", "area"))):
        grid = Geometry.plain((8, 8), spacing)
        case = Case("one", (), {name: Annotation(Image(labels, grid)) for name, labels in drawn.items()})
        study = Study("pictures", ("background", "cell"), ("a", "b"), (case,))
        found = agree_study(study, AgreementSettings(method="majority"))
        assert (found.length_unit, found.unit, found.size_word) == units
