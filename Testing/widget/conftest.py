"""The host, with the module open in it, for the tests of the panel."""

import importlib
import importlib.metadata
import os
import sys
from pathlib import Path

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Host"))
pytest.importorskip("PySide6")
pytest.importorskip("slicer")

from slicerhost.fixtures import host, module, no_main_window  # noqa: F401


@pytest.fixture
def volume(host):  # noqa: F811
    """A scan of 12 x 24 x 24 voxels of 1 mm, with two bright boxes in it."""
    import numpy as np
    import slicer

    assert host.scene is slicer.mrmlScene
    image = np.zeros((12, 24, 24), dtype=np.int16)
    image[3:8, 4:10, 4:10] = image[3:8, 15:20, 15:20] = 100
    return slicer.util.addVolumeFromArray(image, name="scan")


@pytest.fixture
def readers(volume):
    """Labelmap nodes of three annotators of the scan: exact, one voxel too wide, and one who misses the second box."""
    import numpy as np
    import slicer

    exact = np.zeros_like(slicer.util.arrayFromVolume(volume), dtype=np.uint8)
    exact[3:8, 4:10, 4:10] = exact[3:8, 15:20, 15:20] = 1
    wide, misses = exact.copy(), exact.copy()
    wide[3:8, 3:11, 3:11] = wide[3:8, 14:21, 14:21] = 1
    misses[3:8, 15:20, 15:20] = 0
    return {
        name: slicer.util.addVolumeFromArray(labels, name=name, nodeClassName="vtkMRMLLabelMapVolumeNode")
        for name, labels in {"exact": exact, "wide": wide, "misses": misses}.items()
    }


@pytest.fixture
def opened(module, volume, readers):  # noqa: F811
    """The panel with the scan and its three annotators, fused and reviewed."""
    panel = module.panel
    panel.case.chooseVolume(volume)
    panel.case.addFromScene()
    panel.annotatorsSection.review()
    assert len(panel.annotators.rows()) == len(readers)
    return panel


@pytest.fixture
def no_torch(monkeypatch):
    """An installation without torch, as Slicer is without its PyTorch extension."""
    real = importlib.metadata.version

    def version(name: str) -> str:
        if name == "torch":
            raise importlib.metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(importlib.metadata, "version", version)


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    """A tiny model, trained for two epochs on a phantom study by the command line."""
    from NoisyLabelSegLib.cli import main

    folder = tmp_path_factory.mktemp("model")
    study = ["simulate", "lesions", "--cases", "3", "--size", "32,32,8", "--out", str(folder / "study")]
    assert main(study) == 0
    fast = ["--preset", "quick", "--set", "epochs=2", "--set", "device=cpu"]
    assert main(["train", str(folder / "study"), "--out", str(folder / "run"), *fast]) == 0
    return folder / "run" / "model.nlseg"


@pytest.fixture
def shelf_folder(monkeypatch, tmp_path):
    """A folder in place of Resources/models, empty at first."""
    folder = tmp_path / "Resources" / "models"
    folder.mkdir(parents=True)
    module_name = "NoisyLabelSegLib.cases.model_card"
    importlib.import_module(module_name)
    monkeypatch.setattr(f"{module_name}.resource_path", lambda name: folder.parent / name)
    return folder


@pytest.fixture
def write_series():
    """Writes voxels (z, y, x) on a grid of the library as the DICOM MR series that they might have come from."""
    from NoisyLabelSegLib.cases.dicom_series_writer import write_series

    return write_series


@pytest.fixture
def deciding(opened):
    """The panel with the adjudication section open, and Ann about to decide."""
    ui = opened.adjudicationSection._ui
    ui.adjudicatorEdit.setProperty("text", "Ann")
    ui.adjudicationSection.collapsed = False
    assert opened.adjudication.session is not None
    return opened


@pytest.fixture
def segment_editor(host):  # noqa: F811
    """What the panel has told Segment Editor to edit."""
    from types import SimpleNamespace

    told = SimpleNamespace()
    editor = SimpleNamespace(
        setSegmentationNode=lambda node: setattr(told, "segmentation", node),
        setSourceVolumeNode=lambda node: setattr(told, "volume", node),
    )
    host.application.widgets["SegmentEditor"] = SimpleNamespace(editor=editor)
    yield told
    del host.application.widgets["SegmentEditor"]
