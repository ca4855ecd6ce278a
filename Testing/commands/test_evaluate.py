from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Annotation, Case, Geometry, Study, write_components, write_labels
from NoisyLabelSegLib.cli import main

KEYS = ("dice", "cm_rmse", "cm_rmse_column", "cm_rmse_image", "ged", "consensus_r")
TRUTHS = {
    "one": np.array([[0, 0, 1, 1], [0, 0, 1, 1]], dtype=np.uint8),
    "two": np.array([[0, 1, 1, 1], [0, 0, 0, 2]], dtype=np.uint8),
    "three": np.array([[2, 2, 1, 1], [0, 0, 2, 0]], dtype=np.uint8),
}
CLASSES = 3


@pytest.fixture
def labels() -> dict[str, dict[str, np.ndarray]]:
    """Two annotators on three cases; the second errs differently on each, and did not label the last one."""
    made = {id: {"right": truth.copy(), "wrong": truth.copy()} for id, truth in TRUTHS.items()}
    made["one"]["wrong"][0, 2] = 0
    made["two"]["wrong"][0, 1:3] = 2
    del made["three"]["wrong"]
    return made


@pytest.fixture
def study(tmp_path, labels) -> Path:
    folder = tmp_path / "study"
    grid = Geometry.plain((2, 4), (0.5, 2.0))
    cases = []
    for id, truth in TRUTHS.items():
        write_labels(folder / id / "truth.nrrd", truth, grid)
        annotations = {}
        for name, drawn in labels[id].items():
            write_labels(folder / id / f"{name}.nrrd", drawn, grid)
            annotations[name] = Annotation(folder / id / f"{name}.nrrd")
        cases.append(Case(id, (), annotations, folder / id / "truth.nrrd", "test" if id == "three" else "train"))
    return Study("tiny", ("background", "a", "b"), ("right", "wrong"), tuple(cases)).write(folder)


@pytest.fixture
def perfect(tmp_path, labels) -> Path:
    """Predictions that are right in everything."""
    folder, grid = tmp_path / "perfect", Geometry.plain((2, 4), (0.5, 2.0))
    for id, truth in TRUTHS.items():
        write_labels(folder / id / "truth.nrrd", truth, grid)
        write_components(folder / id / "truth_probability.nrrd", one_hot(truth), grid)
        for name, drawn in labels[id].items():
            write_labels(folder / id / f"annotator_{name}.nrrd", drawn, grid)
            write_components(folder / id / f"confusion_{name}.nrrd", field(truth, drawn), grid)
    return folder


@pytest.fixture
def evaluate(capsys):
    def run(*words: str | Path) -> tuple[int, dict, str]:
        code = main(["evaluate", *map(str, words), "--json"])
        written = capsys.readouterr()
        return code, json.loads(written.out.splitlines()[-1]), written.err

    return run


def one_hot(labels: np.ndarray) -> np.ndarray:
    return np.stack([labels == index for index in range(CLASSES)]).astype(np.float32)


def field(truth: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The real confusion matrices as components i * L + j."""
    matrices = np.full((CLASSES, CLASSES, *truth.shape), 1 / CLASSES, dtype=np.float32)
    for place in np.ndindex(truth.shape):
        matrices[(slice(None), truth[place], *place)] = np.eye(CLASSES)[labels[place]]
    return matrices.reshape(CLASSES**2, *truth.shape)


def forget_the_truth(study: Path) -> None:
    content = json.loads(study.read_text())
    for case in content["cases"]:
        del case["truth"]
    study.write_text(json.dumps(content))


def test_a_perfect_prediction_scores_perfectly(evaluate, perfect, study):
    code, result, _ = evaluate(perfect, study)
    assert code == 0
    assert [result[key] for key in KEYS] == pytest.approx([1, 0, 0, 0, 0, 1], abs=1e-6)
    assert (result["ece"], result["brier"]) == (0, 0)
    assert result["why"] == {}
    assert result["cases_counted"]["dice"] == 3


def test_wrong_predictions_score_what_is_counted_by_hand(evaluate, perfect, study):
    """Case one is predicted empty: Dice of class a 0, of class b (absent from both) 1; the others are perfect."""
    grid = Geometry.plain((2, 4), (0.5, 2.0))
    write_labels(perfect / "one" / "truth.nrrd", np.zeros((2, 4), np.uint8), grid)
    result = evaluate(perfect, study)[1]
    assert result["cases"][0]["dice"] == 0.5
    assert result["dice"] == pytest.approx((0.5 + 1 + 1) / 3)
    assert result["classes"]["a"]["dice"] == pytest.approx(2 / 3)
    assert result["empty"] == {"both": 1, "one": 1}


def test_missing_annotators_do_not_count(evaluate, perfect, study):
    result = evaluate(perfect, study)[1]
    assert result["annotators"]["wrong"]["cases"] == 2
    assert result["annotators"]["right"]["cases"] == 3
    assert result["cases"][2]["real_consensus"] is None


def test_fused_truths_alone_give_dice_and_say_what_is_missing(evaluate, perfect, study):
    for file in [*perfect.rglob("annotator_*"), *perfect.rglob("confusion_*"), *perfect.rglob("truth_p*")]:
        file.unlink()
    result = evaluate(perfect, study)[1]
    assert result["dice"] == 1
    assert [result[key] for key in KEYS[1:]] == [None] * 5
    assert "annotators.json" in result["why"]["cm_rmse"]
    assert "annotator_<name>.nrrd" in result["why"]["ged"]
    assert set(KEYS[1:]) <= set(result["why"])


@pytest.mark.parametrize(
    "content",
    [
        {"annotators": {"right": {"confusion": np.eye(3).tolist()}, "wrong": {"confusion": np.eye(3).tolist()}}},
        {"annotators": [{"name": name, "confusion": np.eye(3).tolist()} for name in ("right", "wrong")]},
        {"annotators": [{"annotator": name, "confusion": np.eye(3).tolist()} for name in ("right", "wrong")]},
    ],
)
def test_matrices_that_hold_everywhere_come_from_annotators_json(evaluate, perfect, study, content):
    for file in [*perfect.rglob("annotator_*"), *perfect.rglob("confusion_*")]:
        file.unlink()
    (perfect / "annotators.json").write_text(json.dumps(content))
    result = evaluate(perfect, study)[1]
    assert result["annotators"]["right"]["cm_rmse_column"] == 0
    assert result["annotators"]["wrong"]["cm_rmse_column"] == pytest.approx((3 * 2 / (16 * 3)) ** 0.5)
    assert result["ged"] is not None
    assert any("worked out" in remark for remark in result["remarks"])


def test_what_fuse_writes_can_be_evaluated(evaluate, study, tmp_path):
    assert main(["fuse", str(study), "--method", "staple", "--out", str(tmp_path / "fused")]) == 0
    code, result, _ = evaluate(tmp_path / "fused", study)
    assert code == 0
    assert all(result[key] is not None for key in ("dice", "cm_rmse", "cm_rmse_column", "cm_rmse_image", "ged"))
    assert result["cases_counted"]["cm_rmse"] == 3


def test_a_matrix_of_the_wrong_size_is_refused_by_name(evaluate, perfect, study):
    (perfect / "annotators.json").write_text(json.dumps({"annotators": {"wrong": {"confusion": [[1, 0], [0, 1]]}}}))
    code, _, said = evaluate(perfect, study)
    assert code == 2
    assert "wrong" in said
    assert "3 x 3" in said


def one_case(folder: Path, grid: Geometry) -> tuple[Path, Path]:
    """A study of a case of four voxels, and a prediction in which the annotator's area is two voxels too large."""
    drawn, predicted = np.zeros(grid.shape, np.uint8), np.zeros(grid.shape, np.uint8)
    drawn.flat[:1], predicted.flat[:3] = 1, 1
    write_labels(folder / "a.nrrd", drawn, grid)
    for name in ("truth", "annotator_a"):
        write_labels(folder / "predicted" / "one" / f"{name}.nrrd", predicted, grid)
    case = Case("one", (), {"a": Annotation(folder / "a.nrrd")})
    return folder / "predicted", Study("tiny", ("background", "a"), ("a",), (case,)).write(folder)


@pytest.mark.parametrize(
    ("grid", "unit", "error"),
    [
        (Geometry.plain((2, 2)), "px", 2.0),
        (Geometry.plain((2, 2), (0.5, 2.0)), "mm²", 2.0),
        (Geometry.plain((1, 2, 2), (5.0, 10.0, 10.0)), "ml", 1.0),
    ],
    ids=["a picture without spacing", "a picture with spacing", "a volume"],
)
def test_sizes_have_the_unit_of_the_image(evaluate, tmp_path, capsys, grid, unit, error):
    predicted, study = one_case(tmp_path, grid)
    result = evaluate(predicted, study)[1]
    assert (result["crps_volume"], result["crps_volume_unit"]) == (pytest.approx(error), unit)
    assert main(["evaluate", str(predicted), str(study)]) == 0
    assert f"CRPS of the volume, {unit}" in capsys.readouterr().out.replace("\n", " ")


def test_a_split_is_evaluated_alone_and_unpredicted_cases_are_counted(evaluate, perfect, study):
    for file in (perfect / "two").iterdir():
        file.unlink()
    (perfect / "two").rmdir()
    result = evaluate(perfect, study)[1]
    assert "1 of 3 cases" in result["remarks"][0]
    assert [case["id"] for case in evaluate(perfect, study, "--split", "test")[1]["cases"]] == ["three"]


def test_the_figures_are_written_to_a_file_that_is_not_replaced_unasked(evaluate, perfect, study, tmp_path):
    out = tmp_path / "scores.json"
    assert evaluate(perfect, study, "--out", out)[0] == 0
    assert json.loads(out.read_text())["dice"] == 1
    assert evaluate(perfect, study, "--out", out)[0] == 2
    assert evaluate(perfect, study, "--out", out, "--force")[0] == 0


def test_people_get_tables_and_the_figures_as_json(perfect, study, capsys):
    assert main(["evaluate", str(perfect), str(study)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert set(KEYS) <= set(json.loads(lines[-1]))
    assert any("By annotator" in line for line in lines)


@pytest.mark.parametrize("name", ["confusion_wrong.nrrd", "truth.nrrd"])
def test_a_prediction_on_another_grid_is_refused_by_name(name, evaluate, perfect, study):
    if name == "truth.nrrd":
        write_labels(perfect / "one" / name, np.zeros((2, 4)), Geometry.plain((2, 4)))
    else:
        write_components(perfect / "one" / name, np.zeros((9, 2, 4)), Geometry.plain((2, 4)))
    code, _, said = evaluate(perfect, study)
    assert code == 2
    assert name in said
    assert "spacing" in said
    assert "may have been predicted for another study" in said


def test_a_field_of_too_few_components_is_refused(evaluate, perfect, study):
    grid = Geometry.plain((2, 4), (0.5, 2.0))
    write_components(perfect / "one" / "truth_probability.nrrd", np.zeros((2, 2, 4)), grid)
    code, _, said = evaluate(perfect, study)
    assert code == 2
    assert "2 components" in said


@pytest.mark.parametrize("name", ["confusion_right.nrrd", "truth_probability.nrrd"])
def test_values_that_are_not_numbers_are_refused_by_name(name, evaluate, perfect, study):
    components = 9 if name.startswith("confusion") else 3
    values = np.full((components, 2, 4), np.nan)
    write_components(perfect / "one" / name, values, Geometry.plain((2, 4), (0.5, 2.0)))
    code, _, said = evaluate(perfect, study)
    assert code == 2
    assert name in said
    assert "NaN" in said


def test_a_truncated_file_is_refused_by_name(evaluate, perfect, study):
    file = perfect / "one" / "confusion_right.nrrd"
    file.write_bytes(file.read_bytes()[:-30])
    code, _, said = evaluate(perfect, study)
    assert code == 2
    assert "confusion_right.nrrd" in said


def test_a_folder_without_any_case_is_refused(evaluate, study, tmp_path):
    (tmp_path / "empty").mkdir()
    assert evaluate(tmp_path / "empty", study)[0] == 2
    assert evaluate(tmp_path / "nowhere", study)[0] == 2


def test_without_a_truth_the_annotators_are_still_compared(evaluate, perfect, study):
    forget_the_truth(study)
    result = evaluate(perfect, study)[1]
    assert result["dice"] is None
    assert "truth" in result["why"]["dice"]
    assert result["ged"] == 0


def test_people_hear_first_that_there_is_no_truth(perfect, study, capsys):
    forget_the_truth(study)
    assert main(["evaluate", str(perfect), str(study)]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith("The study tiny names no truth, so only the predicted annotators are scored; call the true")


def test_with_nothing_to_score_against_nothing_is_scored(perfect, study, capsys):
    forget_the_truth(study)
    for file in [*perfect.rglob("annotator_*"), *perfect.rglob("confusion_*")]:
        file.unlink()
    assert main(["evaluate", str(perfect), str(study)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("The study tiny names no truth, so there is nothing to score against; call the true")


def test_a_fusion_of_the_same_labels_is_nothing_to_score_without_a_truth(evaluate, study, tmp_path):
    forget_the_truth(study)
    assert main(["fuse", str(study), "--out", str(tmp_path / "fused")]) == 0
    code, _, said = evaluate(tmp_path / "fused", study)
    assert code == 2
    assert "names no truth, so there is nothing to score against" in said


def test_cases_without_a_truth_are_named(perfect, study, capsys):
    content = json.loads(study.read_text())
    del content["cases"][1]["truth"]
    study.write_text(json.dumps(content))
    assert main(["evaluate", str(perfect), str(study)]) == 0
    assert "names no truth for two" in capsys.readouterr().out


def test_the_only_case_of_a_study_may_be_called_as_its_folder_is(evaluate, perfect, study):
    content = json.loads(study.read_text())
    del content["cases"][1:]
    study.write_text(json.dumps(content))
    (perfect / "one").rename(perfect / "anna")
    for other in ("two", "three"):
        shutil.rmtree(perfect / other)
    code, _, said = evaluate(perfect, study)
    assert code == 2
    assert "add --case anna" in said
    code, result, _ = evaluate(perfect, study, "--case", "anna")
    assert code == 0
    assert result["dice"] == 1


def test_one_case_of_several_can_be_evaluated(evaluate, perfect, study):
    assert [case["id"] for case in evaluate(perfect, study, "--case", "two")[1]["cases"]] == ["two"]
    code, _, said = evaluate(perfect, study, "--case", "four")
    assert code == 2
    assert "has no case 'four'; it has one, two, three" in said
