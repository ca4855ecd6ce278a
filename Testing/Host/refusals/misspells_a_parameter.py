"""A SlicerParameterName that no parameter has."""

import qt
import slicer
from slicer.parameterNodeWrapper import parameterNodeWrapper


@parameterNodeWrapper
class Parameters:
    epochs: int = 10


form = qt.QWidget()
box = qt.QSpinBox(form)
box.setProperty("SlicerParameterName", "epoch")
Parameters(slicer.vtkMRMLScriptedModuleNode()).connectGui(form)
