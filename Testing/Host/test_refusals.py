"""Every file under refusals/ does one thing that Slicer would refuse, and fails here for that reason."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from slicerhost import Host

REASONS = {
    "calls_a_property": (TypeError, "'str' object is not callable"),
    "defines_a_signal": (AttributeError, "Signal"),
    "forgets_to_declare_a_widget": (RuntimeError, "without declaring it"),
    "leaves_a_slider_unbounded": (RuntimeError, "unbounded"),
    "lets_a_signal_fill_a_default": (TypeError, "no default arguments"),
    "loads_a_file_by_path": (TypeError, "str"),
    "misspells_a_parameter": (ValueError, "epoch"),
    "pairs_a_tool_button_with_bool": (RuntimeError, "GUI connector"),
    "passes_a_path": (TypeError, "str"),
    "passes_a_path_to_a_property": (TypeError, "PosixPath|WindowsPath"),
    "uses_a_scoped_enum": (AttributeError, "qt.Qt.Checked"),
    "works_on_another_thread": (RuntimeError, "outside the main thread"),
    "writes_a_parameter_of_another_type": (TypeError, "must be of type"),
}
FOLDER = Path(__file__).resolve().parent / "refusals"


def test_every_refusal_has_a_reason() -> None:
    assert {path.stem for path in FOLDER.glob("*.py")} == REASONS.keys()


@pytest.mark.parametrize("name", REASONS)
def test_the_host_refuses(name: str, host: Host) -> None:
    kind, reason = REASONS[name]
    with pytest.raises(kind, match=reason):
        host.load(f"refusal_{name}", FOLDER / f"{name}.py")


def test_what_slicer_allows_passes(host: Host, tmp_path: Path) -> None:
    source = tmp_path / "allowed.py"
    source.write_text(
        "import qt\n"
        "seen = []\n"
        "button = qt.QPushButton('Apply')\n"
        "button.checkable = True\n"
        "button.clicked.connect(lambda checked: seen.append(checked))\n"
        "button.click()\n"
        "text, state = button.text, qt.Qt.Checked\n"
    )
    module = host.load("allowed", source)
    assert (module.text, module.seen) == ("Apply", [True])
