"""Cases spread over processes and over a Dask cluster: the same bytes, also when workers die on the way."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from NoisyLabelSegLib.cli import main
from NoisyLabelSegLib.commands.parallel import cluster_map, parallel_map
from NoisyLabelSegLib.errors import UserError
from Testing.spoiling import snapshot

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")


def dies_once(item: Path) -> str:
    """Kills its process the first time that it is given the second item."""
    mark = item.with_suffix(".died")
    if item.name == "1" and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return item.name


def always_dies(_item: Path) -> str:
    os.kill(os.getpid(), signal.SIGKILL)
    return ""


def test_the_work_of_a_killed_worker_is_done_again(tmp_path):
    items = [tmp_path / str(number) for number in range(6)]
    assert list(parallel_map(2)(dies_once, items)) == ["0", "1", "2", "3", "4", "5"]
    with pytest.raises(UserError, match="died 4 times at the same case"):
        list(parallel_map(2)(always_dies, items))


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A Dask cluster of one process."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None) as cluster:
        yield cluster


VERBS = {
    "fuse": ["fuse", "{study}"],
    "review": ["review", "{study}", "--truth", "majority"],
    "evaluate": ["evaluate", "{fused}", "{study}"],
    "agree": ["agree", "{study}", "--resamples", "100"],
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_dask_cluster_gives_the_files_that_one_process_gives(make_disk_study, tmp_path, cluster, verb):
    study, fused = make_disk_study(cases=3, case1=["under"]), tmp_path / "fused"
    assert main(["fuse", str(study.folder), "--out", str(fused)]) == 0
    words = [word.format(study=study.folder, fused=fused) for word in VERBS[verb]]
    for where, more in {"alone": [], "cluster": ["--dask", cluster.scheduler_address]}.items():
        assert main([*words, "--out", str(tmp_path / where / "out"), *more]) == 0
    assert snapshot(tmp_path / "cluster") == snapshot(tmp_path / "alone") != {}


def test_joblib_may_be_configured_to_use_the_cluster(make_disk_study, tmp_path, cluster):
    import joblib

    study = make_disk_study(cases=2)
    words = ["review", str(study.folder), "--truth", "majority", "--out"]
    assert main([*words, str(tmp_path / "alone")]) == 0
    with cluster.get_client(), joblib.parallel_config(backend="dask"):
        assert main([*words, str(tmp_path / "cluster"), "--jobs", "2"]) == 0
    assert snapshot(tmp_path / "cluster") == snapshot(tmp_path / "alone")


def test_a_bad_case_on_the_cluster_is_reported_and_the_others_are_finished(make_disk_study, tmp_path, capsys, cluster):
    study = make_disk_study(cases=3)
    study.cases[1].annotations["under"].source.write_bytes(b"NRRD0004\n")
    words = ["fuse", str(study.folder), "--dask", cluster.scheduler_address, "--out", str(tmp_path / "out")]
    assert main(words) == 2
    assert "under.nrrd" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    assert main([*words, "--keep-going"]) == 2
    assert "One case failed" in capsys.readouterr().err
    assert {path.name for path in (tmp_path / "out").iterdir() if path.is_dir()} == {"case0", "case2"}


def marks_its_end(item: Path) -> None:
    time.sleep(0.5)
    item.touch()


def test_work_that_is_given_up_has_ended_when_the_map_ends(tmp_path, cluster):
    items = [tmp_path / str(number) for number in range(20)]
    with cluster_map(cluster.scheduler_address) as run:
        results = run(marks_its_end, items)
        next(results)
        results.close()
        done = {path.name for path in tmp_path.iterdir()}
        time.sleep(1)
    assert {path.name for path in tmp_path.iterdir()} == done


def test_a_cluster_without_workers_or_scheduler_is_refused(tmp_path, capsys, make_disk_study, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr("NoisyLabelSegLib.commands.parallel._WORKERS_COME", 1)
    words = ["fuse", str(make_disk_study(cases=1).folder), "--out", str(tmp_path / "out"), "--dask"]
    with distributed.LocalCluster(n_workers=0, dashboard_address=None, processes=False) as empty:
        address = empty.scheduler_address
        assert main([*words, address]) == 2
        assert "has no workers" in capsys.readouterr().err
    assert main([*words, "nonsense://1"]) == 2
    assert "No Dask scheduler answers" in capsys.readouterr().err


def test_the_work_of_a_killed_worker_of_the_cluster_is_done_again(tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")
    items = [tmp_path / str(number) for number in range(6)]
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as mortal:
        with cluster_map(mortal.scheduler_address) as run:
            assert list(run(dies_once, items)) == ["0", "1", "2", "3", "4", "5"]
        monkeypatch.setattr("NoisyLabelSegLib.commands.parallel._WORKERS_COME", 10)
        refused = pytest.raises(UserError, match=r"died 4 times at the same case|has no workers")
        with cluster_map(mortal.scheduler_address) as run, refused:
            list(run(always_dies, items[:1]))
