"""Stand-in for slicer.ScriptedLoadableModule: the four base classes, as far as the extension leans on them."""

from __future__ import annotations

import unittest
from pathlib import Path
from typing import Any

import slicer

__all__ = [
    "ScriptedLoadableModule",
    "ScriptedLoadableModuleLogic",
    "ScriptedLoadableModuleTest",
    "ScriptedLoadableModuleWidget",
]


class ScriptedLoadableModule:
    def __init__(self, parent: Any) -> None:
        self.parent = parent
        self.moduleName = type(self).__name__
        parent.title, parent.categories, parent.dependencies, parent.contributors = "", [], [], []
        parent.helpText = parent.acknowledgementText = ""

    def resourcePath(self, name: str) -> str:
        return str(Path(self.parent.path).parent / "Resources" / name)


class ScriptedLoadableModuleWidget:
    def __init__(self, parent: Any = None) -> None:
        self.moduleName = type(self).__name__.removesuffix("Widget")
        self.developerMode = False
        self.parent = parent
        self.layout = parent.layout()

    def setup(self) -> None:
        """Slicer adds the developer section here."""

    def cleanup(self) -> None:
        """Called before the module is unloaded or the application ends."""

    def onReload(self) -> None:
        slicer.util.reloadScriptedModule(self.moduleName)


class ScriptedLoadableModuleLogic:
    def __init__(self) -> None:
        self.moduleName = type(self).__name__.removesuffix("Logic")
        self.isSingletonParameterNode = True

    def getParameterNode(self) -> Any:
        found = slicer.mrmlScene.GetSingletonNode(self.moduleName, "vtkMRMLScriptedModuleNode")
        if found is None:
            return slicer.mrmlScene.AddNode(self.createParameterNode())
        found.SetAttribute("ModuleName", self.moduleName)  # closing a scene takes it away
        return found

    def createParameterNode(self) -> Any:
        node = slicer.mrmlScene.CreateNodeByClass("vtkMRMLScriptedModuleNode")
        node.UnRegister(None)
        node.SetSingletonTag(self.moduleName)
        node.SetAttribute("ModuleName", self.moduleName)
        node.SetName(slicer.mrmlScene.GenerateUniqueName(self.moduleName))
        return node


class ScriptedLoadableModuleTest(unittest.TestCase):
    def delayDisplay(self, message: str, msec: int = 100) -> None:
        slicer.util.delayDisplay(message, msec)

    def runTest(self) -> None:
        for name in [name for name in dir(self) if "test" in name and callable(getattr(self, name))]:
            self.setUp()
            getattr(self, name)()
            self.tearDown()
