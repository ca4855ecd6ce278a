"""What is looked at: cases and studies, their geometry, and the files they come from."""

from NoisyLabelSegLib.cases.case import Annotation, Case
from NoisyLabelSegLib.cases.files import (
    read_geometry,
    read_image,
    read_labels,
    write_components,
    write_image,
    write_labels,
)
from NoisyLabelSegLib.cases.geometry import Geometry, Image, resample
from NoisyLabelSegLib.cases.study import Study

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
