"""References that exclude one annotator: the same as fusing the others' labels, alone and over a study."""

from __future__ import annotations

import time

import numpy as np
import pytest

from NoisyLabelSegLib.fusion import METHODS, Votes, fuse
from NoisyLabelSegLib.fusion.leave_one_out import FusedFrom, leave_one_out, leave_one_out_counts
from NoisyLabelSegLib.fusion.study_fuser import FusionPlan, StudyFuser
from NoisyLabelSegLib.metrics import joint_counts


def drawings(annotators: int = 4, classes: int = 3, seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    true = np.zeros((5, 24, 24), dtype=np.uint8)
    true[1:4, 6:18, 6:18], true[2:4, 9:14, 9:14] = 1, classes - 1
    wrong = rng.random((annotators, *true.shape)) < np.linspace(0.02, 0.3, annotators)[:, None, None, None]
    return list(np.where(wrong, rng.integers(0, classes, wrong.shape), true).astype(np.uint8))


@pytest.mark.parametrize("method", METHODS)
def test_the_reference_of_an_annotator_is_the_fusion_of_the_others(method):
    labels = drawings()
    references = leave_one_out(Votes(labels), method)
    for number, reference in enumerate(references):
        others = fuse([array for place, array in enumerate(labels) if place != number], method, classes=3)
        np.testing.assert_array_equal(reference.labels, others.labels)


@pytest.mark.parametrize("method", METHODS)
def test_counting_in_the_table_is_counting_in_the_images(method):
    labels = drawings()
    votes = Votes(labels)
    fusion = votes.fuse(method)
    counts = votes.counts_against(fusion)
    references = leave_one_out(votes, method)
    without = leave_one_out_counts(votes, references)
    for number, array in enumerate(labels):
        np.testing.assert_array_equal(counts[number, :, :3], joint_counts(array, fusion.labels, 3))
        mine = without[f"annotator {number + 1}"]
        np.testing.assert_array_equal(mine[:, :3], joint_counts(array, references[number].labels, 3))
    assert not counts[:, :, 3].any()


def test_undecided_voxels_are_counted_apart():
    votes = Votes([[0, 1, 1, 0], [0, 1, 0, 0]])
    counts = votes.counts_against(votes.fuse("majority", undecided=9))
    np.testing.assert_array_equal(counts, [[[2, 0, 0], [0, 1, 1]], [[2, 0, 1], [0, 1, 0]]])


def test_whoever_is_alone_or_absent_has_no_reference():
    first, second, _ = drawings(annotators=3)
    assert leave_one_out(Votes([first, None]), "majority") == [None, None]
    references = leave_one_out(Votes([first, None, second]), "majority")
    assert references[1] is None
    np.testing.assert_array_equal(references[0].labels, second)
    np.testing.assert_array_equal(references[2].labels, first)
    assert set(leave_one_out_counts(Votes([first, None, second]), references)) == {"annotator 1", "annotator 3"}


def test_dice_to_the_others_by_class_and_for_all_classes_together():
    votes = Votes([[0, 1, 2, 2], [0, 1, 1, 2], [0, 1, 1, 0]], names=("ann", "bob", "cy"))
    origin = FusedFrom.of(votes, leave_one_out(votes, "majority"))
    assert origin.annotators == ("ann", "bob", "cy")
    # Without ann the others agree on 0, 1, 1 and tie between 2 and 0, which goes to the lower label.
    assert [origin.dice("ann", label) for label in (1, 2, 3)] == [pytest.approx(2 / 3), 0, pytest.approx(4 / 5)]
    assert origin.dice("dan", 1) is None


@pytest.mark.parametrize("method", ["staple", "simple", "majority"])
def test_over_a_study_the_others_are_judged_over_all_cases(make_study, method):
    study = make_study(cases=4, missing=lambda number, name: (number, name) in {(0, "cy"), (1, "ann")})
    fuser = StudyFuser.prepare(study, FusionPlan(method))
    for number, name in enumerate(study.annotators):
        rest = [other for other in study.annotators if other != name]
        others = StudyFuser.prepare(
            type(study)(study.name, study.classes, tuple(rest), study.cases, study.folder), FusionPlan(method)
        )
        for case in study.cases:
            reference = fuser.leave_one_out(fuser.votes(case))[number]
            if name not in case.annotations:
                assert reference is None
                continue
            np.testing.assert_array_equal(reference.labels, others.fuse(others.votes(case)).labels)


def test_it_takes_little_longer_than_packing_the_labels():
    labels = [np.kron(array, np.ones((8, 8, 8), dtype=np.uint8)) for array in drawings(annotators=5)]

    def seconds(work) -> float:
        times = []
        for _ in range(3):
            start = time.perf_counter()
            work()
            times.append(time.perf_counter() - start)
        return min(times)

    votes = Votes(labels)
    packing = seconds(lambda: Votes(labels))
    assert seconds(lambda: leave_one_out_counts(votes, leave_one_out(votes, "majority"))) < 3 * packing


def test_counts_are_made_of_labels_where_only_the_method_is_known() -> None:
    labels = {"a": np.array([[0, 1, 1, 0]]), "b": np.array([[0, 1, 0, 0]]), "c": np.array([[1, 1, 0, 0]])}
    votes = Votes(list(labels.values()), classes=2, names=tuple(labels))
    known = FusedFrom.of(votes, leave_one_out(votes, "staple"))
    made = FusedFrom(("a", "b", "c"), {}, "staple").counted({**labels, "d": labels["a"]}, 2)
    assert made.annotators == known.annotators
    assert {name: made.dice(name, 1) for name in labels} == {name: known.dice(name, 1) for name in labels}
    assert known.counted(labels, 2) is known
