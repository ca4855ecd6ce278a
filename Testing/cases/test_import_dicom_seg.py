"""DICOM SEGs and the series they were drawn on become a study."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pydicom
import pytest

from NoisyLabelSegLib.cases import read_image, read_labels
from NoisyLabelSegLib.cases.import_dicom_seg import import_dicom_seg, plan_dicom_seg
from NoisyLabelSegLib.errors import UserError

SHAPE = (4, 3, 5)


def labels(**spots: tuple[int, int, int]) -> np.ndarray:
    """All background but for single voxels: `labels(_2=(0, 1, 2))` has class 2 there."""
    array = np.zeros(SHAPE, np.uint8)
    for name, place in spots.items():
        array[place] = int(name[1:])
    return array


def test_segs_of_one_series_are_annotators_of_one_case_on_its_grid(tmp_path: Path, make_series, make_seg):
    source = tmp_path / "thorax"
    slices = make_series(source / "ct", np.arange(60).reshape(SHAPE))
    make_seg(source / "ann.dcm", slices, labels(_1=(0, 1, 2), _2=(1, 1, 1)), ["liver", "lung"])
    make_seg(source / "more" / "bob.seg", slices, labels(_1=(2, 2, 2), _2=(0, 0, 0)), ["lung", "liver"])
    study = import_dicom_seg(source, tmp_path / "out")
    assert (study.classes, study.annotators) == (("background", "liver", "lung"), ("ann", "bob"))
    case = study.case("thorax")
    np.testing.assert_array_equal(case.labels("ann"), labels(_1=(0, 1, 2), _2=(1, 1, 1)))
    np.testing.assert_array_equal(case.labels("bob"), labels(_2=(2, 2, 2), _1=(0, 0, 0)))  # classes go by name
    np.testing.assert_array_equal(read_image(case.images[0]).array, np.arange(60).reshape(SHAPE) - 1024)


def test_overlapping_segments_become_binary_cases_of_their_own(tmp_path: Path, make_series, make_seg):
    slices = make_series(tmp_path / "scan", np.zeros(SHAPE))
    masks = np.stack([labels(_1=(0, 1, 2)), labels(_1=(0, 1, 2)) | labels(_1=(3, 0, 0))], axis=-1)
    make_seg(tmp_path / "scan" / "ann.dcm", slices, masks, ["nodule", "wall/left"])
    make_seg(tmp_path / "scan" / "bob.dcm", slices, labels(_1=(2, 2, 2)), ["nodule"])
    plan = plan_dicom_seg(tmp_path / "scan")
    assert plan.rows() == [("scan_nodule", 1, "ann, bob", ""), ("scan_wall_left", 1, "ann", "")]
    assert any("Segments overlap" in remark for remark in plan.remarks)
    study = plan.write(tmp_path / "out")
    assert study.classes == ("background", "segment")
    np.testing.assert_array_equal(study.case("scan_nodule").labels("ann"), masks[..., 0])
    np.testing.assert_array_equal(study.case("scan_nodule").labels("bob"), labels(_1=(2, 2, 2)))
    np.testing.assert_array_equal(study.case("scan_wall_left").labels("ann"), masks[..., 1])


def test_what_export_writes_comes_back_with_readers_and_truth(tmp_path: Path, make_series, make_seg):
    slices = make_series(tmp_path / "scan", np.zeros(SHAPE))
    for name, place in (("annotator_ann", (0, 1, 2)), ("annotator_bob", (2, 2, 2)), ("truth", (1, 1, 1))):
        make_seg(tmp_path / "scan" / f"{name}.dcm", slices, labels(_1=place), ["nodule"])
    study = import_dicom_seg(tmp_path / "scan", tmp_path / "out")
    assert study.annotators == ("ann", "bob")
    np.testing.assert_array_equal(study.cases[0].truth(), labels(_1=(1, 1, 1)))


def test_a_lone_seg_is_a_case_without_image(tmp_path: Path, make_series, make_seg):
    slices = make_series(tmp_path / "ct", np.zeros(SHAPE))
    path = make_seg(tmp_path / "reader.dcm", slices, labels(_1=(1, 1, 2)), ["liver"], kind="LABELMAP")
    plan = plan_dicom_seg(path)
    assert plan.rows() == [("reader", 0, "reader", "no image: the series it was drawn on was not found")]
    np.testing.assert_array_equal(
        plan.write(tmp_path / "out").case("reader").labels("reader"), labels(_1=(1, 1, 2))[1:2]
    )


def test_the_images_may_lie_in_another_folder(tmp_path: Path, make_series, make_seg):
    slices = make_series(tmp_path / "ct", np.zeros(SHAPE))
    path = make_seg(tmp_path / "reader.dcm", slices, labels(_1=(1, 1, 2)), ["liver"])
    case = import_dicom_seg(path, tmp_path / "out", images=tmp_path / "ct").case("reader")
    np.testing.assert_array_equal(case.labels("reader"), labels(_1=(1, 1, 2)))
    assert case.image().shape == (1, *SHAPE)


def test_a_series_that_was_not_segmented_is_not_used(tmp_path: Path, make_series, make_seg):
    slices = make_series(tmp_path / "away", np.zeros(SHAPE))
    make_seg(tmp_path / "source" / "reader.dcm", slices, labels(_1=(1, 1, 2)), ["liver"])
    make_series(tmp_path / "source" / "other", np.zeros(SHAPE), uid="1.2.3.9")
    assert plan_dicom_seg(tmp_path / "source").rows()[0][1] == 0


def test_segs_without_images_that_leave_out_different_frames_share_a_grid(tmp_path: Path, make_series, make_seg):
    slices = make_series(tmp_path / "away", np.zeros(SHAPE))
    make_seg(tmp_path / "segs" / "ann", slices, labels(_1=(1, 1, 2)), ["liver"])
    make_seg(tmp_path / "segs" / "bob", slices, labels(_1=(3, 0, 0)), ["liver"])
    case = import_dicom_seg(tmp_path / "segs", tmp_path / "out").case("segs")
    np.testing.assert_array_equal(case.labels("ann"), labels(_1=(1, 1, 2))[1:])
    np.testing.assert_array_equal(case.labels("bob"), labels(_1=(3, 0, 0))[1:])


def test_several_series_become_cases_and_annotators_keep_their_names_across_them(tmp_path: Path, make_series, make_seg):
    for name, uid in (("p1", "1.2.3.4"), ("p2", "1.2.3.5")):
        slices = make_series(tmp_path / "all" / name / "ct", np.zeros(SHAPE), uid=uid)
        for reader in ("ann", "bob"):
            make_seg(tmp_path / "all" / name / reader / "1-1.dcm", slices, labels(_1=(1, 1, 2)), ["liver"])
    assert [row[::2] for row in plan_dicom_seg(tmp_path / "all").rows()] == [("p1", "ann, bob"), ("p2", "ann, bob")]


def test_the_threshold_of_fractional_segments_is_stated(tmp_path: Path, make_series, make_seg):
    slices = make_series(tmp_path / "ct", np.zeros(SHAPE))
    fractions = labels(_1=(1, 1, 2))[..., None] * 0.4
    path = make_seg(tmp_path / "soft.dcm", slices, fractions, ["liver"], kind="FRACTIONAL")
    plan = plan_dicom_seg(path, threshold=0.3)
    assert any("fraction is at least 0.3: soft.dcm" in remark for remark in plan.remarks)
    assert plan.write(tmp_path / "out").cases[0].labels("soft").sum() == 1
    assert import_dicom_seg(path, tmp_path / "half").cases[0].labels("soft").sum() == 0


def test_a_seg_on_another_grid_is_refused_or_resampled_when_asked(tmp_path: Path, make_series, make_seg):
    slices = make_series(tmp_path / "scan", np.zeros(SHAPE))
    path = make_seg(tmp_path / "scan" / "ann.dcm", slices, labels(_1=(1, 1, 2)), ["liver"])
    data = pydicom.dcmread(path)
    for groups in data.PerFrameFunctionalGroupsSequence:
        groups.PlanePositionSequence[0].ImagePositionPatient[0] += 0.2
    data.save_as(path)
    with pytest.raises(UserError, match=r"not on the grid of case scan.*--resample"):
        import_dicom_seg(tmp_path / "scan", tmp_path / "out")
    case = import_dicom_seg(tmp_path / "scan", tmp_path / "out", regrid=True).case("scan")
    np.testing.assert_array_equal(case.labels("ann"), labels(_1=(1, 1, 2)))


def test_sources_without_a_seg_are_refused(tmp_path: Path, make_series, make_seg):
    slices = make_series(tmp_path / "ct", np.zeros(SHAPE))
    with pytest.raises(UserError, match="holds no DICOM SEG"):
        plan_dicom_seg(tmp_path / "ct")
    with pytest.raises(UserError, match="is not a DICOM SEG"):
        plan_dicom_seg(slices[0])
    with pytest.raises(UserError, match="does not exist"):
        plan_dicom_seg(tmp_path / "absent")
    path = make_seg(tmp_path / "ct" / "ann.dcm", slices, labels(_1=(1, 1, 2)), ["liver"])
    data = pydicom.dcmread(path)
    del data.ReferencedSeriesSequence
    for groups in data.PerFrameFunctionalGroupsSequence:
        del groups.DerivationImageSequence
    data.save_as(path)
    with pytest.raises(UserError, match=r"ann\.dcm: does not say which images it was drawn on"):
        plan_dicom_seg(tmp_path / "ct")


def test_nothing_of_the_patient_reaches_the_study_and_nothing_of_the_libraries_stderr(
    tmp_path: Path, make_series, make_seg
):
    slices = make_series(tmp_path / "scan", np.zeros(SHAPE))
    path = make_seg(tmp_path / "scan" / "ann.dcm", slices, labels(_1=(1, 1, 2)), ["liver"])
    data = pydicom.dcmread(path)
    with pytest.warns(UserWarning, match="Invalid value"):  # as whenever pydicom looks at it
        data.FrameOfReferenceUID = "1.2.x"
    data.save_as(path)
    script = "import sys; from NoisyLabelSegLib.cases.import_dicom_seg import import_dicom_seg as f; f(*sys.argv[1:])"
    run = subprocess.run(
        [sys.executable, "-W", "always", "-c", script, str(tmp_path / "scan"), str(tmp_path / "out")],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    for file in (tmp_path / "out").rglob("*"):
        assert file.is_dir() or b"ecret" not in file.read_bytes()


def test_the_samples_of_dcmqi_become_studies_equal_to_their_nrrds(shared_data: Path, tmp_path: Path):
    folder = shared_data / "dicom-seg" / "dcmqi"
    study = import_dicom_seg(folder, tmp_path / "out")
    for id, annotator, file, value in [
        ("ct-3slice_Liver", "liver", "liver_seg.nrrd", 1),
        ("23x38x3_Liver", "label", "23x38x3/nrrd/label.nrrd", 1),
        ("ct-3slice_GREEN", "partial_overlaps", "partial_overlaps-1.nrrd", 1),
        ("ct-3slice_ORANGE", "partial_overlaps", "partial_overlaps-2.nrrd", 2),
        ("ct-3slice_PURPLE", "partial_overlaps", "partial_overlaps-3.nrrd", 3),
        ("ct-3slice_LIGHT_BLUE", "partial_overlaps", "partial_overlaps-1.nrrd", 4),
        ("ct-3slice_DARK_BLUE", "partial_overlaps", "partial_overlaps-1.nrrd", 5),
    ]:
        expected = read_labels(folder / file)
        np.testing.assert_array_equal(study.case(id).labels(annotator), expected.array == value)
        assert not expected.geometry.differences(study.case(id).geometry)
