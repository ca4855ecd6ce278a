"""`make panel`: opens the module in the host, with real slice views beside it, for people without Slicer."""

from __future__ import annotations

import os
import sys

from slicerhost import start
from slicerhost.window import Window


def main() -> int:
    if not has_display():
        sys.stderr.write("There is no display to open the panel on; run this in a desktop session.\n")
        return 2
    host = start()
    host.answers.interactive = True
    panel = host.open_module()
    window = Window(panel)
    host.application.window = window
    window.show()
    code = host.qt_application.exec()
    panel.exit()
    panel.cleanup()
    return code


def has_display() -> bool:
    """Qt would abort without one; QT_QPA_PLATFORM=offscreen asks for none."""
    names = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return sys.platform != "linux" or any(os.environ.get(name) for name in names)


if __name__ == "__main__":
    raise SystemExit(main())
