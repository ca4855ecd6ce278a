"""The host, with the module open in it, for the tests of the panel."""

import os
import sys
from pathlib import Path

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Host"))
pytest.importorskip("PySide6")
pytest.importorskip("slicer")

from slicerhost.fixtures import host, module  # noqa: F401


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
