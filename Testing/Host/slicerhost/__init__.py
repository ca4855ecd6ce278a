"""A stand-in for the Slicer application: PySide6 as `qt`, small ctk and qMRML widgets, over slicer-core's real scene.

It runs the extension's own module file, widget sources and .ui files, and refuses what PythonQt or Slicer would refuse
(sources.py, guard.py, parameters.py), so that what passes here has a fair chance to pass there.
"""

from slicerhost.start import Host, start

__all__ = ["Host", "start"]
