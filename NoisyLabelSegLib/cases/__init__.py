"""What is looked at: cases and studies, their geometry, and the files they come from."""

from NoisyLabelSegLib.cases.case import Annotation, Case
from NoisyLabelSegLib.cases.geometry import Geometry, resample
from NoisyLabelSegLib.cases.image import Image
from NoisyLabelSegLib.cases.reading import read_geometry, read_image, read_labels
from NoisyLabelSegLib.cases.study import Study
from NoisyLabelSegLib.cases.writing import write_components, write_image, write_labels

__all__ = [
    "Annotation",
    "Case",
    "Geometry",
    "Image",
    "Study",
    "read_geometry",
    "read_image",
    "read_labels",
    "resample",
    "write_components",
    "write_image",
    "write_labels",
]
