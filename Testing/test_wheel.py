"""The wheel, installed away from the clone: every verb runs, and what is missing is said in one sentence."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from NoisyLabelSegLib import __version__
from NoisyLabelSegLib.commands import VERBS

REPOSITORY = Path(__file__).resolve().parents[1]
TRAINING = ["epochs=1", "patch=16", "widths=[4,8]", "samples=4", "batch=2"]


class Installed:
    """A virtual environment of its own with the wheel in it; the dependencies are those of the running environment."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        self.work = folder / "work"
        self.work.mkdir()
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "venv")], check=True)
        scripts = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
        self.python = scripts / Path(sys.executable).name
        code = "import sysconfig; print(sysconfig.get_path('purelib'))"
        self.packages = Path(subprocess.check_output([self.python, "-c", code], text=True).strip())
        pip = [sys.executable, "-m", "pip", f"--python={self.python}", "install", "--quiet", "--no-index", "--no-deps"]
        subprocess.run([*pip, str(wheel)], check=True, env=self.environment)
        # A folder that a .pth file adds comes last, and .pth files in it, such as an editable install's, do nothing.
        (self.packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PIP_"))}
        return {**kept, "PYTHONDONTWRITEBYTECODE": "1"}

    def run(self, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        """Runs the installed command in a folder of its own."""
        return self.call([str(self.python.with_name("noisylabelseg")), *words], code=code)

    def run_without(self, blocked: str, *words: str, code: int = 2) -> str:
        """What the command says on stderr where the module `blocked` is not installed."""
        script = (
            f"import sys; sys.modules[{blocked!r}] = None\n"
            f"from NoisyLabelSegLib.cli import main\nsys.exit(main({list(words)!r}))"
        )
        return self.call([str(self.python), "-c", script], code=code).stderr

    def call(self, command: list[str], *, code: int) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(command, cwd=self.work, env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, so that the build leaves nothing in the clone and old files of it do not get in."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("NoisyLabelSegLib", "Resources"):
        shutil.copytree(REPOSITORY / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(REPOSITORY / name, source)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--wheel-dir", str(target), str(source)], check=True)
    (made,) = target.glob("*.whl")
    return made


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("installed"), wheel)


@pytest.fixture(scope="session")
def study(installed: Installed) -> Path:
    installed.run("simulate", "nodules", "--out", "study", "--cases", "4", "--size", "16,16,8", "--seed", "1")
    return installed.work / "study"


@pytest.fixture(scope="session")
def model(installed: Installed, study: Path) -> Path:
    installed.run("train", str(study), "--out", "run", "--preset", "quick", "--set", *TRAINING)
    return installed.work / "run" / "model.nlseg"


def test_every_file_of_the_library_and_its_resources_is_in_the_wheel_once(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    library = [path.relative_to(REPOSITORY) for path in (REPOSITORY / "NoisyLabelSegLib").rglob("*.py")]
    resources = [path.relative_to(REPOSITORY) for path in (REPOSITORY / "Resources").rglob("*") if path.is_file()]
    expected = {path.as_posix() for path in library} | {f"NoisyLabelSegLib/{path.as_posix()}" for path in resources}
    found = [name for name in names if ".dist-info/" not in name]
    assert sorted(found) == sorted(expected | {"NoisyLabelSegLib/py.typed"})


def test_the_library_that_runs_is_the_installed_one(installed: Installed) -> None:
    code = "import NoisyLabelSegLib.resources as r; print(r.__file__); print(r.resource_path('presets/quick.json'))"
    lines = installed.call([str(installed.python), "-c", code], code=0).stdout.splitlines()
    assert all(Path(line).is_relative_to(installed.packages) for line in lines)
    assert installed.run("--version").stdout.strip() == f"noisylabelseg {__version__}"


def test_every_verb_explains_itself(installed: Installed) -> None:
    code = "import sys\nfrom NoisyLabelSegLib.cli import main\nfor verb in sys.argv[1:]:\n"
    code += "    try: main([verb, '--help'])\n    except SystemExit as ended: assert ended.code == 0, verb\n"
    page = installed.call([str(installed.python), "-c", code, *VERBS], code=0).stdout
    assert all(f"noisylabelseg {verb}" in page for verb in VERBS)


@pytest.mark.parametrize("kind", ["mnist", "lesions", "tumour"])
def test_simulate_makes_a_study_of_every_kind(installed: Installed, kind: str) -> None:
    size = [] if kind == "mnist" else ["--size", "32,32,8", "--spacing", "5,5,10"]
    installed.run("simulate", kind, "--out", kind, "--cases", "2", *size)
    installed.run("check", kind)


def test_simulate_draws_annotators_on_a_given_scan(installed: Installed, study: Path) -> None:
    case = json.loads((study / "study.json").read_text(encoding="utf-8"))["cases"][0]
    files = ["--image", str(study / case["images"][0]), "--truth", str(study / case["truth"])]
    installed.run("simulate", "annotators", *files, "--panel", "readers", "--out", "annotators")
    assert (installed.work / "annotators" / "study.json").is_file()


def test_a_study_is_checked_fused_reviewed_and_evaluated(installed: Installed, study: Path) -> None:
    installed.run("check", str(study))
    installed.run("fuse", str(study), "--method", "staple", "--out", "fused")
    installed.run("review", str(study), "--truth", "fused", "--out", "review")
    assert "<style>" in (installed.work / "review" / "report.html").read_text(encoding="utf-8")
    installed.run("evaluate", "fused", str(study), "--out", "scores.json")
    assert json.loads((installed.work / "scores.json").read_text(encoding="utf-8"))["dice"] > 0.5


def test_a_folder_of_label_files_is_imported(installed: Installed, study: Path) -> None:
    (installed.work / "folder").mkdir()
    for case in sorted(path for path in study.iterdir() if path.is_dir()):
        shutil.copytree(case, installed.work / "folder" / case.name)
    installed.run("import", "folder", "folder", "--out", "imported")
    assert (installed.work / "imported" / "study.json").is_file()


def test_a_network_is_trained_described_and_applied(installed: Installed, study: Path, model: Path) -> None:
    assert "trained: study" in installed.run("models", str(model)).stdout
    installed.run("predict", str(model), str(study), "--out", "predicted", "--annotators", "--confusion")
    installed.run("evaluate", "predicted", str(study))
    settings = {"format": "noisylabelseg-job/1", "verb": "fuse", "study": str(study), "out": "again"}
    (installed.work / "job.json").write_text(json.dumps(settings), encoding="utf-8")
    installed.run("run", "job.json")


def test_the_shipped_models_are_listed_demonstrations_last(installed: Installed) -> None:
    result = json.loads(installed.run("models", "--json").stdout.splitlines()[-1])
    listed = [Path(model["path"]).stem for model in result["models"]]  # and those that other tests trained
    assert listed.index("lidc-nodules") < listed.index("demo-nodules")


def test_the_demo_runs(installed: Installed) -> None:
    installed.run("demo", "--out", "demo", "--cases", "3", "--epochs", "1")
    assert (installed.work / "demo" / "review" / "report.html").is_file()


@pytest.mark.parametrize("words", [["bench"], ["bench", "fusion"], ["reproduce", "--list"]])
def test_bench_and_reproduce_say_that_they_need_the_repository(installed: Installed, words: list[str]) -> None:
    sentence = installed.run(*words, code=2).stderr
    assert "needs the repository" in " ".join(sentence.split())


@pytest.mark.parametrize(
    ("blocked", "extra", "words"),
    [
        ("monai", "trunks", ["train", "{study}", "--out", "none", "--set", "trunk=UNETR"]),
        ("distributed", "cluster", ["fuse", "{study}", "--out", "none", "--dask", "localhost:1"]),
    ],
)
def test_a_missing_extra_is_named(
    installed: Installed, study: Path, model: Path, blocked: str, extra: str, words: list[str]
) -> None:
    filled = [word.format(study=study, model=model) for word in words]
    sentence = " ".join(installed.run_without(blocked, *filled).split())
    assert f'pip install "noisylabelseg[{extra}]"' in sentence


def test_without_torch_everything_but_networks_works(installed: Installed, study: Path) -> None:
    installed.run_without("torch", "fuse", str(study), "--out", "fused-without-torch", code=0)
    installed.run_without("torch", "demo", "--help", code=0)
