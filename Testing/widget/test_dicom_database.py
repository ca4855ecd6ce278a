"""Annotators from the DICOM database, with real SEG objects; the database is a stand-in for ctkDICOMDatabase."""

from __future__ import annotations

import numpy as np
import pydicom
import pytest
import slicer

from NoisyLabelSegLib.cases import Geometry, Image, read_image
from NoisyLabelSegLib.cases.dicom_seg_writer import write_dicom_seg
from NoisyLabelSegLib.scene.dicom_segs import INSTANCES

GRID = Geometry.plain((5, 12, 14), (1.0, 1.0, 2.0))


class Database:
    """What ctkDICOMDatabase tells about files, read from the files."""

    def __init__(self, paths):
        self._headers = {str(path): pydicom.dcmread(path, stop_before_pixels=True) for path in paths}

    def fileForInstance(self, uid):
        return next((path for path, header in self._headers.items() if header.SOPInstanceUID == uid), "")

    def fileValue(self, path, tag):
        group, element = (int(part, 16) for part in tag.split(","))
        found = self._headers[path].get((group, element))
        return "" if found is None else str(found.value)

    def seriesForStudy(self, uid):
        headers = self._headers.values()
        return list(dict.fromkeys(h.SeriesInstanceUID for h in headers if h.StudyInstanceUID == uid))

    def filesForSeries(self, uid):
        return [path for path, header in self._headers.items() if header.SeriesInstanceUID == uid]


@pytest.fixture
def database(tmp_path, write_series, monkeypatch):
    """A series with the SEG objects of two readers, and another series of the same patient with one of its own."""
    rng = np.random.default_rng(1)
    voxels = rng.integers(0, 100, (5, 12, 14)).astype(np.int16)
    for name in ("scan", "other"):
        write_series(tmp_path / name, voxels, GRID)
    paths = [*(tmp_path / "scan").iterdir(), *(tmp_path / "other").iterdir()]
    for name, source, first in (("anna", "scan", 3), ("ben", "scan", 4), ("carl", "other", 5)):
        labels = np.zeros(voxels.shape, dtype=np.uint8)
        labels[1:4, first : first + 5, 3:9] = 1
        path = tmp_path / f"{name}.dcm"
        write_dicom_seg(path, Image(labels, GRID), ["background", "nodule"], tmp_path / source, creator=name)
        paths.append(path)
    found = Database(paths)
    monkeypatch.setattr(slicer, "dicomDatabase", found, raising=False)
    return found


@pytest.fixture
def scan(module, tmp_path, database):
    """The volume as Slicer's DICOM module loads it: it names its instances."""
    from NoisyLabelSegLib.scene.volumes import fillVolume

    node = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLScalarVolumeNode", "CT")
    fillVolume(node, read_image(tmp_path / "scan").array, GRID)
    files = sorted((tmp_path / "scan").iterdir())
    node.SetAttribute(INSTANCES, " ".join(pydicom.dcmread(path).SOPInstanceUID for path in files))
    module.panel.case.chooseVolume(node)
    assert database.fileForInstance(node.GetAttribute(INSTANCES).split()[0])
    return node


@pytest.mark.usefixtures("scan")
def test_all_seg_objects_that_refer_to_the_loaded_scan_are_added_at_once(module):
    panel = module.panel
    panel.caseSection.onAddFromDatabase()
    assert panel.case.annotators == ("anna", "ben")
    assert panel.case.classes == ("background", "nodule")
    anna, ben = panel.case.labels().values()
    assert np.count_nonzero(anna) == np.count_nonzero(ben) == 3 * 5 * 6
    assert anna[2, 3, 4] == 1
    assert ben[2, 3, 4] == 0
    assert panel.truth.truth is not None


@pytest.mark.usefixtures("scan")
def test_what_is_there_already_is_not_added_again(module):
    panel = module.panel
    panel.caseSection.onAddFromDatabase()
    panel.caseSection.onAddFromDatabase()
    assert panel.case.annotators == ("anna", "ben")
    assert "No further DICOM SEG" in panel.caseSection._ui.caseMessage.property("text")


def test_a_volume_that_is_not_from_dicom_says_that_nothing_refers_to_it(module, volume):
    module.panel.case.chooseVolume(volume)
    module.panel.caseSection.onAddFromDatabase()
    assert "refers to scan" in module.panel.caseSection._ui.caseMessage.property("text")
