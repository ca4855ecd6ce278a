"""A tool button has no connector."""

import qt
import slicer
from slicer.parameterNodeWrapper import parameterNodeWrapper


@parameterNodeWrapper
class Parameters:
    linked: bool = True


form = qt.QWidget()
button = qt.QToolButton(form)
button.setProperty("SlicerParameterName", "linked")
Parameters(slicer.vtkMRMLScriptedModuleNode()).connectGui(form)
