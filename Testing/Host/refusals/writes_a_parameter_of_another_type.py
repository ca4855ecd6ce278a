"""The wrapper checks what is written."""

import slicer
from slicer.parameterNodeWrapper import parameterNodeWrapper


@parameterNodeWrapper
class Parameters:
    epochs: int = 10


Parameters(slicer.vtkMRMLScriptedModuleNode()).epochs = "ten"
