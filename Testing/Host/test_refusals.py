"""Every file under refusals/ does one thing that Slicer would refuse, and fails here for that reason."""

from __future__ import annotations

import json
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
    "sets_a_timer_to_single_shot": (AttributeError, "QTimer has no 'singleShot'"),
    "uses_a_function_that_slicer_has_not": (AttributeError, "slicer.util has no 'askForFile'"),
    "uses_a_name_of_a_newer_qt": (AttributeError, "QComboBox has no 'labelDrawingMode'"),
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


def test_what_slicer_allows_passes(host: Host) -> None:
    module = host.load("allowed", FOLDER.parent / "allowed" / "clicks_a_button.py")
    assert (module.text, module.seen) == ("Apply", [True])


def test_a_form_with_a_property_that_slicer_has_not_is_refused(host: Host, tmp_path: Path) -> None:
    import slicer

    assert host is not None
    path = tmp_path / "Section.ui"
    path.write_text(
        '<ui version="4.0"><widget class="QComboBox" name="choice">'
        '<property name="labelDrawingMode"><number>1</number></property></widget></ui>'
    )
    with pytest.raises(AttributeError, match="QComboBox has no 'labelDrawingMode'"):
        slicer.util.loadUI(str(path))


def test_the_table_of_names_is_what_the_running_application_has() -> None:
    """Made anew from slicer-api.json: python -m slicerhost.make_names PATH."""
    from slicerhost.api import Names
    from slicerhost.make_names import REPOSITORY, made_from

    everything = REPOSITORY.parent / "shared" / "slicer-api.json"
    if not everything.is_file():
        pytest.skip("needs ../shared/slicer-api.json")
    table = Names.read()
    made = made_from(everything, table.unlisted)
    missing = {
        key: set(table.listed.get(key, [])) ^ set(made.listed.get(key, [])) for key in table.listed | made.listed
    }
    assert not {key: names for key, names in missing.items() if names}
    listed = json.loads(everything.read_text(encoding="utf-8"))["classes"]
    assert not listed.keys() & table.unlisted.keys()
