from __future__ import annotations

import json

import pytest

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.simulation import SimulatedAnnotator, read_panel, shipped_panels
from NoisyLabelSegLib.simulation.annotators import CONFUSES, AnnotatorPanel, panel_to_json
from NoisyLabelSegLib.simulation.errors import KINDS

BINARY = ("background", "lesion")
NESTED = ("background", "edema", "core")


@pytest.fixture
def panel_file(tmp_path):
    def write(*annotators: dict, **others) -> str:
        path = tmp_path / "panel.json"
        content = {"format": "noisylabelseg-panel/1", "annotators": list(annotators), **others}
        path.write_text(json.dumps(content))
        return str(path)

    return write


def test_the_papers_panel_has_its_five_annotators():
    panel = read_panel("paper", BINARY)
    assert [annotator.kind for annotator in panel.annotators] == ["good", "over", "under", "wrong", "blank"]
    assert [annotator.dice for annotator in panel.annotators] == [None, 0.652, 0.326, 0.658, None]


def test_every_shipped_panel_can_be_read_and_every_kind_is_in_one():
    kinds = {annotator.kind for name in shipped_panels() for annotator in read_panel(name, NESTED).annotators}
    assert kinds == {*KINDS, CONFUSES}


def test_classes_may_be_named_or_numbered(panel_file):
    for given in (2, "core"):
        path = panel_file({"name": "a", "kind": "over", "class": given})
        assert read_panel(path, NESTED).annotators[0].target == 2


def test_a_panel_that_was_solved_is_read_back_as_it_was(tmp_path):
    annotators = (
        SimulatedAnnotator("a", "over", 1.25, target=1),
        SimulatedAnnotator("b", "careless", 2.0, options={"side": "back"}),
        SimulatedAnnotator("c", "blank"),
    )
    path = tmp_path / "panel.json"
    path.write_text(json.dumps(panel_to_json(AnnotatorPanel("solved", annotators))))
    assert read_panel(path, NESTED) == AnnotatorPanel("solved", annotators)


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ({"kind": "over"}, "name"),
        ({"name": "a/b", "kind": "over"}, "file name"),
        ({"name": "a", "kind": "sleepy"}, "sleepy"),
        ({"name": "a", "kind": "over", "strength": -1}, "strength"),
        ({"name": "a", "kind": "over", "strength": "much"}, "strength"),
        ({"name": "a", "kind": "over", "dice": 1.5}, "dice"),
        ({"name": "a", "kind": "over", "class": 2}, "lesion"),
        ({"name": "a", "kind": "over", "class": "heart"}, "heart"),
        ({"name": "a", "kind": "over", "color": "red"}, "color"),
        ({"name": "a", "kind": "careless", "side": "inside"}, "inside"),
        ({"name": "a", "kind": "drifting", "error": "drifting"}, "drifting"),
        ({"name": "a", "kind": "shifted", "direction": [0, 0]}, "direction"),
        ({"name": "a", "kind": "confuses"}, "two classes"),
        ({"name": "a", "kind": "confuses", "classes": [1, 2]}, "lesion"),
        ("a", "not a JSON object"),
    ],
)
def test_a_bad_annotator_is_refused_with_a_reason(entry, problem, panel_file):
    with pytest.raises(UserError, match=problem) as refused:
        read_panel(panel_file(entry), BINARY)
    assert "panel.json" in refused.value.sentence


def test_two_annotators_of_one_name_are_refused(panel_file):
    with pytest.raises(UserError, match="twice"):
        read_panel(panel_file({"name": "a", "kind": "over"}, {"name": "A", "kind": "under"}), BINARY)


def test_files_that_are_no_panels_are_refused(tmp_path, panel_file):
    (tmp_path / "text.json").write_text("hello")
    for path in (tmp_path / "text.json", panel_file(), panel_file({"name": "a", "kind": "good"}, format="other/1")):
        with pytest.raises(UserError, match=r"\.json"):
            read_panel(path, BINARY)
