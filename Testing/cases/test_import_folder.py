"""The folder layouts people have become one plan."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry, Image, Study, write_image
from NoisyLabelSegLib.cases.import_folder import plan_folder
from NoisyLabelSegLib.cases.seg_nrrd import write_seg_nrrd
from NoisyLabelSegLib.cases.segments import Segment, Segmentation
from NoisyLabelSegLib.errors import UserError

FLAT = Geometry.plain((6, 7))
SOLID = Geometry.plain((3, 6, 7), (0.7, 0.7, 2.5))


def put(path: Path, value: int = 1, geometry: Geometry | None = None) -> None:
    geometry = geometry or (FLAT if path.suffix == ".png" else SOLID)
    array = np.zeros(geometry.shape, np.uint8)
    array.flat[:5] = value
    write_image(path, Image(array, geometry))


def test_one_folder_per_case(tmp_path: Path) -> None:
    for case in ("p2", "p10"):
        put(tmp_path / case / "image.nrrd")
        put(tmp_path / case / "anna.nii.gz")
    put(tmp_path / "p2" / "bert.mha")
    put(tmp_path / "p2" / "truth.nrrd")
    (tmp_path / "p2" / "notes.txt").write_text("left out")
    plan = plan_folder(tmp_path)
    assert [(case.id, list(case.annotations)) for case in plan.cases] == [("p2", ["anna", "bert"]), ("p10", ["anna"])]
    assert plan.annotators == ("anna", "bert")
    assert plan.cases[0].truth == tmp_path / "p2" / "truth.nrrd"
    assert plan.classes == ("background", "foreground")


def test_channels_of_one_case_keep_their_order(tmp_path: Path) -> None:
    for name in ("image_10", "image_2", "image_1", "reader"):
        put(tmp_path / "a" / f"{name}.nrrd")
    assert [path.name for path in plan_folder(tmp_path).cases[0].images] == [
        "image_1.nrrd",
        "image_2.nrrd",
        "image_10.nrrd",
    ]


@pytest.mark.parametrize("labels", ["masks/", ""], ids=["below masks", "beside images"])
def test_one_folder_per_annotator(labels: str, tmp_path: Path) -> None:
    for case in ("cell1", "cell2"):
        put(tmp_path / "images" / f"{case}.png")
        put(tmp_path / f"{labels}expert1" / f"{case}.png", 255)
    put(tmp_path / f"{labels}expert2" / "cell2.png", 255)
    plan = plan_folder(tmp_path)
    assert [(case.id, list(case.annotations)) for case in plan.cases] == [
        ("cell1", ["expert1"]),
        ("cell2", ["expert1", "expert2"]),
    ]


def test_nested_trees_carry_their_path_into_the_id(tmp_path: Path) -> None:
    for nodule in ("nodule-0", "nodule-1"):
        put(tmp_path / "patient" / nodule / "images" / "slice-3.png")
        put(tmp_path / "patient" / nodule / "mask-0" / "slice-3.png", 255)
    assert [case.id for case in plan_folder(tmp_path).cases] == [
        "patient_nodule-0_slice-3",
        "patient_nodule-1_slice-3",
    ]


def test_channels_as_nnunet_names_them(tmp_path: Path) -> None:
    for channel in ("0000", "0001"):
        put(tmp_path / "imagesTr" / f"brain_{channel}.nii.gz")
    put(tmp_path / "reader" / "brain.nii.gz")
    case = plan_folder(tmp_path).cases[0]
    assert case.id == "brain"
    assert len(case.images) == 2


def test_masks_of_255_become_1_and_it_says_so(tmp_path: Path) -> None:
    put(tmp_path / "in" / "images" / "a.png", 200)
    put(tmp_path / "in" / "masks" / "r" / "a.png", 255)
    plan = plan_folder(tmp_path / "in")
    study = plan.write(tmp_path / "out")
    labels = study.cases[0].labels("r")
    assert labels is not None
    assert set(np.unique(labels)) == {0, 1}
    assert any("255" in remark for remark in plan.remarks)
    assert study.cases[0].image().max() == 200


def test_several_labels_become_several_classes(tmp_path: Path) -> None:
    put(tmp_path / "a" / "image.nrrd")
    put(tmp_path / "a" / "reader.nrrd", 3)
    assert plan_folder(tmp_path).classes == ("background", "class 1", "class 2", "class 3")
    assert plan_folder(tmp_path, classes=["bg", "a", "b", "c"]).classes[1] == "a"


def test_labels_without_an_image_are_mentioned(tmp_path: Path) -> None:
    put(tmp_path / "images" / "a.png")
    put(tmp_path / "r" / "a.png", 255)
    put(tmp_path / "r" / "b.png", 255)
    assert plan_folder(tmp_path).remarks == ["r: 1 file matches no image: left out (b.png)."]


def test_labels_on_another_grid_are_moved_only_when_asked(tmp_path: Path) -> None:
    put(tmp_path / "in" / "a" / "image.nrrd")
    put(tmp_path / "in" / "a" / "reader.nrrd", geometry=Geometry.plain((3, 6, 9), (0.7, 0.7, 2.5)))
    with pytest.raises(UserError, match="--resample"):
        plan_folder(tmp_path / "in").write(tmp_path / "out")
    study = plan_folder(tmp_path / "in").write(tmp_path / "out", regrid=True)
    assert study.cases[0].all_labels(["reader"])[0].shape == (3, 6, 7)


def test_seventeen_annotators_of_real_cells(shared_data: Path, tmp_path: Path) -> None:
    plan = plan_folder(shared_data / "bubil-cells")
    assert len(plan.annotators) == 17
    assert len(plan.cases) == len(list((shared_data / "bubil-cells" / "images").iterdir()))
    assert all(len(case.annotations) == 17 for case in plan.cases)
    study: Study = plan.write(tmp_path / "out")
    assert study.cases[0].image().shape[0] == 1


def test_repeated_readings_belong_to_their_annotator(tmp_path: Path) -> None:
    put(tmp_path / "in" / "a" / "image.nrrd")
    for value, name in enumerate(("anna", "anna_repeat", "anna_repeat2", "bert_repeat"), start=1):
        put(tmp_path / "in" / "a" / f"{name}.nrrd", value)
    plan = plan_folder(tmp_path / "in")
    assert plan.annotators == ("anna", "bert_repeat")
    case = plan.write(tmp_path / "out").cases[0]
    assert [int(labels.max()) for labels in case.readings("anna")] == [1, 2, 3]
    assert "bert_repeat" not in case.repeats


def test_segments_of_slicer_that_overlap_become_cases_of_their_own(tmp_path: Path) -> None:
    grid = SOLID
    lung, nodule, wall = np.zeros((3, *grid.shape), bool)
    lung[:, 1:5, 1:5], nodule[1, 2:4, 2:4], wall[:, 0] = True, True, True
    write_image(tmp_path / "in" / "scan.nrrd", Image(np.zeros(grid.shape, np.int16), grid))
    drawn = {
        "anna": [("lung", lung), ("nodule", nodule)],
        "bert": [("Lung", lung), ("wall", wall)],
        "truth": [("lung", lung)],
    }
    for name, masks in drawn.items():
        segments = [(Segment(title, value), mask) for value, (title, mask) in enumerate(masks, start=1)]
        write_seg_nrrd(tmp_path / "in" / f"{name}.seg.nrrd", Segmentation.from_masks(grid, segments))
    plan = plan_folder(tmp_path / "in", relabel=["bert:wall=nodule"])
    study = plan.write(tmp_path / "out")
    assert any("Segments overlap" in remark for remark in plan.remarks)
    assert study.classes == ("background", "segment")
    assert [(case.id, case.annotators, case.patient) for case in study.cases] == [
        ("in_lung", ("anna", "bert"), "in"),
        ("in_nodule", ("anna", "bert"), "in"),
    ]
    np.testing.assert_array_equal(study.case("in_lung").truth(), lung)
    np.testing.assert_array_equal(study.case("in_nodule").labels("anna"), nodule)
    np.testing.assert_array_equal(study.case("in_nodule").labels("bert"), wall)
    assert study.case("in_nodule").truth() is None


def test_repeated_readings_with_overlapping_segments_are_split_too(tmp_path: Path) -> None:
    first, second = np.zeros((2, *SOLID.shape), bool)
    first[:, 1:5, 1:5], second[1, 2:4, 2:4] = True, True
    write_image(tmp_path / "in" / "scan.nrrd", Image(np.zeros(SOLID.shape, np.int16), SOLID))
    for name, masks in (("anna", [("lung", first), ("nodule", second)]), ("anna_repeat", [("lung", second)])):
        segments = [(Segment(title, value), mask) for value, (title, mask) in enumerate(masks, start=1)]
        write_seg_nrrd(tmp_path / "in" / f"{name}.seg.nrrd", Segmentation.from_masks(SOLID, segments))
    plan = plan_folder(tmp_path / "in", classes=["background", "lung", "nodule"])
    assert any("--classes is not used" in remark for remark in plan.remarks)
    study = plan.write(tmp_path / "out")
    lung, nodule = (study.case(id).readings("anna") for id in ("in_lung", "in_nodule"))
    np.testing.assert_array_equal(lung, [first, second])
    np.testing.assert_array_equal(nodule, [second, np.zeros_like(second)])
