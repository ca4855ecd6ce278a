"""`make panel`: opens the module in the host, with real slice views beside it, for people without Slicer."""

from __future__ import annotations

from slicerhost import start
from slicerhost.window import Window


def main() -> int:
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


if __name__ == "__main__":
    raise SystemExit(main())
