"""The Slicer module: metadata and wiring. The work is in NoisyLabelSegLib, which is imported when the panel opens."""

import sys
import unittest
from pathlib import Path

import slicer
from slicer.i18n import tr as _
from slicer.i18n import translate
from slicer.ScriptedLoadableModule import (
    ScriptedLoadableModule,
    ScriptedLoadableModuleLogic,
    ScriptedLoadableModuleTest,
    ScriptedLoadableModuleWidget,
)
from slicer.util import VTKObservationMixin

DOCUMENTATION = "https://github.com/NoisyLabelSeg/SlicerNoisyLabelSeg/blob/main/docs/panel.md"
HERE = Path(__file__).resolve().parent
if not (HERE / "NoisyLabelSegLib").is_dir() and str(HERE.parent) not in sys.path:
    sys.path.insert(0, str(HERE.parent))  # run from the source tree, where the library is beside this folder


class NoisyLabelSeg(ScriptedLoadableModule):
    def __init__(self, parent):
        ScriptedLoadableModule.__init__(self, parent)
        parent.title = _("Noisy Label Segmentation")
        parent.categories = [translate("qSlicerAbstractCoreModule", "Segmentation")]
        parent.dependencies = []
        parent.contributors = ["The NoisyLabelSeg contributors"]
        parent.helpText = _(
            "Several people outlined one scan and disagree: this estimates the truth and shows what each got wrong."
        )
        link = _("Every button of the panel is explained in the {documentation}.")
        page = f'<a href="{DOCUMENTATION}">{_("documentation of the panel")}</a>'
        parent.helpText += "<br>" + link.format(documentation=page)
        parent.acknowledgementText = _("The networks follow Zhang, Tanno et al., NeurIPS 2020.")
        _setIcon(parent)
        slicer.app.connect("startupCompleted()", _registerSampleData)


class NoisyLabelSegWidget(ScriptedLoadableModuleWidget, VTKObservationMixin):
    def __init__(self, parent=None):
        self.panel = None
        VTKObservationMixin.__init__(self)
        ScriptedLoadableModuleWidget.__init__(self, parent)  # last: without a parent it sets the panel up at once

    def setup(self):
        ScriptedLoadableModuleWidget.setup(self)
        from NoisyLabelSegLib.widget.panel import Panel

        self.logic = NoisyLabelSegLogic()
        self.panel = Panel(self.layout, slicer.mrmlScene)
        scene = slicer.mrmlScene
        self.addObserver(scene, scene.StartCloseEvent, self.onSceneStartClose)
        for event in (scene.EndCloseEvent, scene.EndImportEvent):
            self.addObserver(scene, event, self.onSceneReady)
        self.initializeParameterNode()

    def cleanup(self):
        if self.panel is not None:
            self.panel.close()
        self.removeObservers()

    def enter(self):
        self.initializeParameterNode()
        self.panel.setActive(active=True)

    def exit(self):
        self.panel.setActive(active=False)

    def onReload(self):
        """Forgets the library, too: Slicer itself reloads this file only."""
        for name in [name for name in sys.modules if name.partition(".")[0] == "NoisyLabelSegLib"]:
            del sys.modules[name]
        ScriptedLoadableModuleWidget.onReload(self)

    def initializeParameterNode(self):
        self.panel.setParameterNode(self.logic.getParameterNode())

    def onSceneStartClose(self, _caller, _event):
        self.panel.leaveScene()

    def onSceneReady(self, _caller, _event):
        if self.parent.isEntered:
            self.initializeParameterNode()
            self.panel.preselectVolume()


class NoisyLabelSegLogic(ScriptedLoadableModuleLogic):
    """For scripts: slicer.util.getModuleLogic("NoisyLabelSeg").fuse(volume, [node, ...])."""

    def fuse(self, volume, annotatorNodes, method=None):
        """Fuses label nodes of a volume and returns the segmentation node of the estimated truth.

        method: a name of NoisyLabelSegLib.fusion.METHODS; None for the default method.
        """
        from NoisyLabelSegLib.fusion import DEFAULT
        from NoisyLabelSegLib.widget.scripting import fuseNodes

        return fuseNodes(slicer.mrmlScene, volume, annotatorNodes, method or DEFAULT)


class NoisyLabelSegFileReader:
    """Opens a study.json that is dropped on Slicer."""

    def __init__(self, parent):
        self.parent = parent

    def description(self):
        return "NoisyLabelSeg study"

    def fileType(self):
        return "NoisyLabelSegStudy"

    def extensions(self):
        return ["NoisyLabelSeg study (*.json)"]

    def canLoadFile(self, path):
        return self.canLoadFileConfidence(path) > 0

    def canLoadFileConfidence(self, path):
        from NoisyLabelSegLib.widget.arrivals import studyConfidence

        return studyConfidence(path)

    def load(self, properties):
        from NoisyLabelSegLib.widget.arrivals import loadStudyFile

        self.parent.loadedNodes = loadStudyFile(properties["fileName"])
        return bool(self.parent.loadedNodes)


class NoisyLabelSegTest(ScriptedLoadableModuleTest):
    """Runs inside Slicer (Reload and Test, or ctest), with and without a main window, and in Testing/widget."""

    def runTest(self):
        """Every test, also where one before it fails or is skipped."""
        suite = unittest.defaultTestLoader.loadTestsFromTestCase(type(self))
        result = unittest.TextTestRunner().run(suite)
        assert result.wasSuccessful(), f"{len(result.errors + result.failures)} tests failed"

    def test_demo_case(self):
        """The demo case opens with five annotators, its truth is estimated at once, and the views show its volume."""
        self._try("demoCase")

    def test_every_method(self):
        """Every fusion method marks something, marks nothing that nobody marked, and puts its truth into the scene."""
        self._try("everyMethod")

    def test_untick(self):
        """Without one annotator the truth is another one, and with them again it is the same as before."""
        self._try("untick")

    def test_next_error(self):
        """The errors come largest first, with words, and every slice view moves to them."""
        self._try("nextError")

    def test_one_view_each(self):
        """Every annotator gets a slice view that shows the volume; without a main window the panel says why not."""
        self._try("oneViewEach")

    def test_far_away_volume(self):
        """One view each shows a volume 900 mm from the origin, also after Slicer has handled its events."""
        self._try("farAwayVolume")

    def test_add_from_scene(self):
        """Labelmaps that lie on a volume are found, fused and compared with the truth."""
        self._try("addFromScene")

    def test_save_and_reload(self):
        """A saved scene comes back with its classes, annotators, truth and figures."""
        self._try("saveAndReload")

    def test_export_every_format(self):
        """Every exported file has the voxels of the truth, the DICOM SEG too where highdicom is installed."""
        self._try("exportEveryFormat")

    def test_prediction(self):
        """A model that comes with the extension finds a nodule in a worker process; torch stays out of Slicer's."""
        self._try("prediction")

    def test_cancel(self):
        """A prediction that is canceled leaves the truth and the scene as they were."""
        self._try("cancel")

    def test_cancel_review(self):
        """A review in the background that is canceled ends its process and leaves the figures as they were."""
        self._try("cancelReview")

    def _try(self, name):
        """Runs a function of self_test.py with the panel and an empty scene."""
        from NoisyLabelSegLib.widget import self_test

        self.delayDisplay(name)
        getattr(self_test, name)(self_test.freshPanel())


def _setIcon(parent):
    """From the source tree Slicer finds no icon by itself."""
    import qt

    path = HERE.parent / "Resources" / "Icons" / "NoisyLabelSeg.png"
    if path.is_file():
        parent.icon = qt.QIcon(str(path))


def _registerSampleData():
    from NoisyLabelSegLib.widget.arrivals import registerSampleData

    registerSampleData()
