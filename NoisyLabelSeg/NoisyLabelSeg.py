"""The Slicer module: metadata and wiring. The work is in NoisyLabelSegLib, which is imported when the panel opens."""

import sys
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
    """Runs inside Slicer: Reload and Test, or ctest."""

    def setUp(self):
        slicer.mrmlScene.Clear(0)

    def test_story(self):
        from NoisyLabelSegLib.widget.self_test import runStory

        runStory(self)


def _setIcon(parent):
    """From the source tree Slicer finds no icon by itself."""
    import qt

    path = HERE.parent / "Resources" / "Icons" / "NoisyLabelSeg.png"
    if path.is_file():
        parent.icon = qt.QIcon(str(path))


def _registerSampleData():
    from NoisyLabelSegLib.widget.arrivals import registerSampleData

    registerSampleData()
