"""Contours of RTSTRUCT files become masks on the series they were drawn on, one annotator per structure set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.cases.import_rtstruct import plan_rtstruct
from NoisyLabelSegLib.cases.rtstruct import STRUCTURE_SET
from NoisyLabelSegLib.cli import main
from NoisyLabelSegLib.errors import UserError

SHAPE = (3, 8, 10)
Contour = tuple[int, Sequence[tuple[float, float]]]
SQUARE: Contour = (1, [(1.5, 1.5), (6.5, 1.5), (6.5, 5.5), (1.5, 5.5)])  # columns 2 to 6, rows 2 to 5
HOLE: Contour = (1, [(2.5, 2.5), (4.5, 2.5), (4.5, 4.5), (2.5, 4.5)])  # columns 3 and 4, rows 3 and 4
BESIDE: Contour = (0, [(7.5, 0.5), (9.5, 0.5), (9.5, 2.5), (7.5, 2.5)])


def make_rtstruct(path: Path, structures: dict[str, list[Contour]], *, label: str = "", tilt: float = 0.0) -> Path:
    """Contours in pixels (slice, (x, y) ...) of the series that conftest's make_series writes."""
    from pydicom.dataset import Dataset, FileDataset, FileMetaDataset
    from pydicom.uid import ExplicitVRLittleEndian

    meta = FileMetaDataset()
    meta.MediaStorageSOPClassUID, meta.MediaStorageSOPInstanceUID = STRUCTURE_SET, f"1.9.{abs(hash(path.name)) % 10**9}"
    meta.TransferSyntaxUID = ExplicitVRLittleEndian
    data = FileDataset(str(path), {}, file_meta=meta, preamble=b"\0" * 128)
    data.SOPClassUID, data.SOPInstanceUID, data.Modality = STRUCTURE_SET, meta.MediaStorageSOPInstanceUID, "RTSTRUCT"
    data.PatientName, data.StructureSetLabel, data.SeriesInstanceUID = "Secret^Name", label, "1.9.1"
    series, study, frame = Dataset(), Dataset(), Dataset()
    series.SeriesInstanceUID = "1.2.3.4"
    study.RTReferencedSeriesSequence, frame.RTReferencedStudySequence = [series], [study]
    data.ReferencedFrameOfReferenceSequence = [frame]
    data.StructureSetROISequence, data.ROIContourSequence = [], []
    for number, (name, contours) in enumerate(structures.items(), start=1):
        roi, drawn = Dataset(), Dataset()
        roi.ROINumber, roi.ROIName, drawn.ReferencedROINumber, drawn.ROIDisplayColor = number, name, number, [255, 0, 0]
        drawn.ContourSequence = []
        for place, points in contours:
            item = Dataset()
            item.ContourGeometricType, item.NumberOfContourPoints = "CLOSED_PLANAR", len(points)
            millimeters = [(-5 + 0.5 * x, 7 + 0.6 * y, -10 + 2 * place + tilt * x) for x, y in points]
            item.ContourData = [f"{value:g}" for point in millimeters for value in point]
            drawn.ContourSequence.append(item)
        data.StructureSetROISequence.append(roi)
        data.ROIContourSequence.append(drawn)
    data.save_as(path, enforce_file_format=True)
    return path


@pytest.fixture
def scan(tmp_path: Path, make_series: Callable[..., Any]) -> Path:
    make_series(tmp_path / "scan" / "ct", np.zeros(SHAPE))
    return tmp_path / "scan"


def test_several_structure_sets_of_one_scan_are_its_annotators(scan: Path, tmp_path: Path) -> None:
    make_rtstruct(scan / "anna.dcm", {"GTV": [SQUARE, HOLE]})
    make_rtstruct(scan / "bert.dcm", {"Heart": [BESIDE], "gtv": [SQUARE]})
    assert main(["import", "rtstruct", str(scan), "--out", str(tmp_path / "out")]) == 0
    study = Study.read(tmp_path / "out")
    assert (study.classes, study.annotators) == (("background", "GTV", "Heart"), ("anna", "bert"))
    expected = np.zeros(SHAPE, np.uint8)
    expected[1, 2:6, 2:7] = 1
    whole = expected.copy()
    expected[1, 3:5, 3:5] = 0
    np.testing.assert_array_equal(study.cases[0].labels("anna"), expected)
    whole[0, 1:3, 8:10] = 2
    np.testing.assert_array_equal(study.cases[0].labels("bert"), whole)
    assert study.cases[0].image().shape == (1, *SHAPE)
    assert "Secret" not in (tmp_path / "out" / "study.json").read_text(encoding="utf-8")


def test_structure_sets_name_the_readers_where_files_do_not(scan: Path) -> None:
    make_rtstruct(scan / "RS.1.2.840.1.dcm", {"GTV": [SQUARE]}, label="Dr A")
    make_rtstruct(scan / "RS.1.2.840.2.dcm", {"GTV": [SQUARE]}, label="Dr B")
    assert plan_rtstruct(scan).annotators == ("Dr A", "Dr B")


def test_structures_that_overlap_become_cases_of_their_own(scan: Path, tmp_path: Path) -> None:
    make_rtstruct(scan / "anna.dcm", {"PTV": [SQUARE], "GTV": [HOLE]})
    study = plan_rtstruct(scan / "anna.dcm").write(tmp_path / "out")
    assert [case.id for case in study.cases] == ["anna_PTV", "anna_GTV"]
    assert [int(case.all_labels(["anna"])[0].sum()) for case in study.cases] == [20, 4]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("structures", "tilt", "words"),
    [
        ({"GTV": [SQUARE]}, 0.5, "does not lie in a slice"),
        ({"GTV": [(7, SQUARE[1])]}, 0.0, "outside the images"),
        ({"GTV": []}, 0.0, "no closed contour"),
    ],
    ids=["another plane", "another place", "no contour"],
)
def test_contours_that_do_not_fit_are_refused(
    structures: dict[str, list[Contour]], tilt: float, words: str, scan: Path
) -> None:
    make_rtstruct(scan / "anna.dcm", structures, tilt=tilt)
    with pytest.raises(UserError, match=words):
        plan_rtstruct(scan)


def test_a_structure_set_without_its_images_is_refused(tmp_path: Path) -> None:
    make_rtstruct(tmp_path / "anna.dcm", {"GTV": [SQUARE]})
    with pytest.raises(UserError, match="--images"):
        plan_rtstruct(tmp_path)
    with pytest.raises(UserError, match="no RTSTRUCT"):
        plan_rtstruct(Path(__file__).parent)
