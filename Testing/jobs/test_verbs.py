"""The real work in real workers: fuse, review, train and predict, watched to the end."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from NoisyLabelSegLib.cases import read_labels
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.jobs import Cancelled, Job, Progressed
from NoisyLabelSegLib.progress import silent
from NoisyLabelSegLib.verbs import FuseSettings, PredictSettings, ReviewSettings, TrainSettings, perform
from Testing.jobs.real_work import RUN_FILES, SECONDS, TINY, contents

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def assert_progress_is_sane(heard: Any) -> None:
    """Within a stage nothing goes back, the time left is sane and ends at zero."""
    news = heard.of(Progressed)
    assert news
    for before, after in pairwise(news):
        assert before.stage != after.stage or before.fraction <= after.fraction
    assert all(item.seconds_left is None or 0 <= item.seconds_left < 3600 for item in news)
    assert news[-1].fraction == 1
    assert news[-1].seconds_left == 0


def test_a_training_is_cancelled_and_resumed_and_its_model_predicts(do: Any, study: Path, tmp_path: Path) -> None:
    def cancel_after_an_epoch(job: Job, _heard: Any) -> None:
        job.progressed.connect(lambda news: job.cancel() if news.metrics else None)

    run, training = tmp_path / "run", {"study": str(study), "out": str(tmp_path / "run")}
    many = {**TINY, "epochs": 60}  # so that it does not end before it hears that it is cancelled
    heard = do(TrainSettings(**training, preset="quick", overrides=many), cancel_after_an_epoch, grace_seconds=SECONDS)
    assert heard.ending == Cancelled(forced=False)
    assert "checkpoint.pt" in contents(run)
    assert contents(run).keys() <= RUN_FILES

    heard = do(TrainSettings(**training, resume=True))
    assert_progress_is_sane(heard)
    epochs = [news for news in heard.of(Progressed) if news.stage == "train"]
    assert epochs[0].done >= 1, "the epochs before the cancellation are not trained again"
    assert epochs[-1].done == many["epochs"]
    assert epochs[-1].metrics.keys() >= {"loss", "likelihood"}
    assert heard.ending.result["model"] == str(run / "model.nlseg")

    predicted = tmp_path / "predicted"
    heard = do(PredictSettings(model=str(run / "model.nlseg"), study=str(study), out=str(predicted), annotators=True))
    assert_progress_is_sane(heard)
    assert heard.ending.result == {"out": str(predicted), "cases": ["case0", "case1", "case2", "case3"]}
    names = ("annotator_right", "annotator_tight", "annotator_wide", "truth", "truth_probability")
    assert list(contents(predicted)) == [f"case{number}/{name}.nrrd" for number in range(4) for name in names]


def test_a_study_is_fused_and_the_annotators_are_judged(do: Any, study: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    heard = do(FuseSettings(study=str(study), out=str(out), annotators=("right", "wide"), confusion=True))
    assert_progress_is_sane(heard)
    assert heard.ending.result["cases"] == ["case0", "case1", "case2", "case3"]
    assert [row["annotator"] for row in heard.ending.result["annotators"]] == ["right", "wide"]
    names = ("confusion_right", "confusion_wide", "truth", "truth_probability")
    cases = [f"case{number}/{name}.nrrd" for number in range(4) for name in names]
    assert list(contents(out)) == ["annotators.csv", "annotators.json", *cases]


def test_label_files_are_fused_as_one_case(study: Path, tmp_path: Path) -> None:
    labels = tuple(str(study / "case0" / f"{name}.nrrd") for name in ("right", "wide", "tight"))
    settings = FuseSettings(labels=labels, method="majority", out=str(tmp_path / "out"))
    result = perform(settings, silent, lambda _sentence: None)
    assert result["cases"] == ["right"]
    truth = read_labels(tmp_path / "out" / "right" / "truth.nrrd").array
    assert np.array_equal(truth, read_labels(study / "case0" / "right.nrrd").array)


def test_a_review_is_written_and_says_what_the_annotators_do(do: Any, study: Path, tmp_path: Path) -> None:
    heard = do(ReviewSettings(study=str(study), truth="majority", out=str(tmp_path / "out"), options={"pictures": 1}))
    assert_progress_is_sane(heard)
    assert heard.ending.result["cases"] == 4
    assert any("wide draws" in sentence and "outside" in sentence for sentence in heard.ending.result["sentences"])
    assert {"case0/errors_wide.nrrd", "report.html", "mistakes.csv"} <= contents(tmp_path / "out").keys()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"picture": 1}, "A review has no option 'picture'; the options are"),
        ({"pictures": 1.5}, "The option pictures of a review must be a whole number, not 1.5"),
    ],
)
def test_an_option_that_a_review_does_not_have_is_refused(
    study: Path, tmp_path: Path, options: dict[str, float], words: str
) -> None:
    settings = ReviewSettings(study=str(study), truth="majority", out=str(tmp_path / "out"), options=options)
    with pytest.raises(UserError) as error:
        perform(settings, silent, lambda _sentence: None)
    assert words in error.value.sentence
