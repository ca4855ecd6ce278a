"""A slider needs a parameter with limits."""

import ctk
import qt
import slicer
from slicer.parameterNodeWrapper import parameterNodeWrapper


@parameterNodeWrapper
class Parameters:
    opacity: float = 0.5


form = qt.QWidget()
slider = ctk.ctkSliderWidget(form)
slider.setProperty("SlicerParameterName", "opacity")
Parameters(slicer.vtkMRMLScriptedModuleNode()).connectGui(form)
