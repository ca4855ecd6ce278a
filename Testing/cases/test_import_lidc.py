"""A LIDC download becomes a study whose annotators are the reading sessions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Study, read_image
from NoisyLabelSegLib.cases.import_lidc import import_lidc, plan_lidc
from NoisyLabelSegLib.errors import UserError

VOXELS = np.arange(4 * 6 * 7).reshape(4, 6, 7)


def write_xml(path: Path, series: str, *uids: str, sessions: int = 2) -> None:
    """Every session outlines the pixels (2..3, 2..4) on the slices of these UIDs and marks one point."""
    corners = [(1, 1), (5, 1), (5, 4), (1, 4)]
    edges = "".join(f"<edgeMap><xCoord>{x}</xCoord><yCoord>{y}</yCoord></edgeMap>" for x, y in corners)
    point = "<edgeMap><xCoord>2</xCoord><yCoord>2</yCoord></edgeMap>"
    rois = "".join(f"<roi><imageSOP_UID>{uid}</imageSOP_UID><inclusion>TRUE</inclusion>{edges}</roi>" for uid in uids)
    mark = f"<unblindedReadNodule><roi><imageSOP_UID>{series}.1</imageSOP_UID>{point}</roi></unblindedReadNodule>"
    session = f"<readingSession><unblindedReadNodule>{rois}</unblindedReadNodule>{mark}</readingSession>"
    header = f"<ResponseHeader><SeriesInstanceUid>{series}</SeriesInstanceUid></ResponseHeader>"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f'<LidcReadMessage xmlns="http://www.nih.gov">{header}{session * sessions}</LidcReadMessage>', encoding="utf-8"
    )


def test_slices_are_found_by_their_instance_uid(tmp_path: Path, make_series):
    make_series(tmp_path / "scan" / "dicom", VOXELS)
    write_xml(tmp_path / "scan" / "69.xml", "1.2.3.4", "1.2.3.4.2", "1.2.3.4.3")
    study = import_lidc(tmp_path / "scan", tmp_path / "out")
    assert (study.name, study.classes, study.annotators) == ("scan", ("background", "nodule"), ("reader1", "reader2"))
    case = study.case("scan")
    expected = np.zeros(VOXELS.shape, np.uint8)
    expected[1:3, 2:4, 2:5] = 1
    np.testing.assert_array_equal(case.labels("reader2"), expected)
    image = read_image(case.images[0])
    np.testing.assert_array_equal(image.array, VOXELS - 1024)
    assert image.array.dtype == np.int16
    assert image.geometry.origin == (-5.0, 7.0, -10.0)


def test_what_is_left_out_is_told_before_writing(tmp_path: Path, make_series):
    make_series(tmp_path / "scan", VOXELS)
    write_xml(tmp_path / "scan" / "69.xml", "1.2.3.4", "1.2.3.4.2", "9.9.9")
    plan = plan_lidc(tmp_path / "scan")
    note = "nodules outlined: 1, 1; marks under 3 mm, left out: 2; outlines on slices not in the folder, left out: 2"
    assert plan.rows() == [("scan", 1, "reader1, reader2", note)]
    assert not (tmp_path / "out").exists()


def test_several_scans_become_cases_named_by_their_folders(tmp_path: Path, make_series):
    for name, uid, sessions in (("LIDC-IDRI-0001", "1.2.3.4", 2), ("LIDC-IDRI-0002", "1.2.3.5", 4)):
        make_series(tmp_path / "all" / name / "study" / "series", VOXELS, uid=uid)
        write_xml(tmp_path / "all" / name / "study" / "series" / "a.xml", uid, f"{uid}.1", sessions=sessions)
    (tmp_path / "all" / "other.xml").write_text("<note/>")
    write_xml(tmp_path / "all" / "LIDC-IDRI-0003" / "a.xml", "1.2.3.6", "1.2.3.6.1")
    plan = plan_lidc(tmp_path / "all")
    assert [row[0] for row in plan.rows()] == ["LIDC-IDRI-0001", "LIDC-IDRI-0002"]
    assert plan.annotators == ("reader1", "reader2", "reader3", "reader4")
    remarks = " ".join(plan.remarks)
    assert "other.xml: is not an LIDC annotation file" in remarks
    assert "its images are not in the folder" in remarks
    assert "not the same person" in remarks
    study = plan.write(tmp_path / "out")
    assert study.case("LIDC-IDRI-0001").annotators == ("reader1", "reader2")


def test_a_folder_without_annotations_images_or_both_is_refused(tmp_path: Path, make_series):
    make_series(tmp_path / "images", VOXELS)
    with pytest.raises(UserError, match="holds no annotation file"):
        plan_lidc(tmp_path / "images")
    write_xml(tmp_path / "xml" / "a.xml", "1.2.3.4", "1.2.3.4.1")
    with pytest.raises(UserError, match="holds no DICOM images"):
        plan_lidc(tmp_path / "xml")
    write_xml(tmp_path / "images" / "a.xml", "9.9", "9.9.1")
    with pytest.raises(UserError, match=r"a\.xml: annotates a series that is not in"):
        plan_lidc(tmp_path / "images")
    with pytest.raises(UserError, match="does not exist"):
        plan_lidc(tmp_path / "absent")


def test_nothing_of_the_patient_reaches_the_study(tmp_path: Path, make_series):
    make_series(tmp_path / "scan", VOXELS)
    write_xml(tmp_path / "scan" / "69.xml", "1.2.3.4", "1.2.3.4.2")
    import_lidc(tmp_path / "scan", tmp_path / "out")
    for path in (tmp_path / "out").rglob("*"):
        assert path.is_dir() or b"ecret" not in path.read_bytes()


def test_the_lidc_sample_gives_the_masks_of_its_readers(shared_data: Path, tmp_path: Path):
    folder = shared_data / "lidc-ct-xml" / "LIDC-IDRI-0001"
    study = Study.read(import_lidc(folder, tmp_path / "out").folder)
    case = study.case("LIDC-IDRI-0001")
    assert study.annotators == ("reader1", "reader2", "reader3", "reader4")
    expected = read_image(folder / "ct.nrrd")
    np.testing.assert_array_equal(read_image(case.images[0]).array, expected.array)
    assert case.geometry == expected.geometry
    for reader in study.annotators:
        np.testing.assert_array_equal(case.labels(reader), read_image(folder / f"{reader}.nrrd").array)
