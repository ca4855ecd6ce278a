"""What Slicer would package: the tree that an installation gets."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
STAND_IN = REPOSITORY / "Testing" / "Host" / "cmake"
MODULES = Path("lib/Slicer-5.12/qt-scripted-modules")


def in_tree(folder: str, pattern: str) -> list[str]:
    """The repository's files below a folder, as CMake writes them; what git ignores does not count."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", f"{folder}/{pattern}"]
    output = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
    return sorted(name for name in output.splitlines() if (REPOSITORY / name).is_file())


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of scripted modules that an installation of the extension gets."""
    if shutil.which("cmake") is None:
        pytest.skip("needs cmake")
    build, target = tmp_path_factory.mktemp("build"), tmp_path_factory.mktemp("installed")
    configure = ["cmake", "-S", str(REPOSITORY), "-B", str(build), f"-DSlicer_DIR={STAND_IN}"]
    for command in (configure, ["cmake", "--install", str(build), "--prefix", str(target)]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    tests = subprocess.run(["ctest", "-N"], cwd=build, capture_output=True, text=True, check=True).stdout
    assert "py_NoisyLabelSeg" in tests
    return target / MODULES


@pytest.mark.parametrize(("folder", "pattern"), [("NoisyLabelSegLib", "*.py"), ("Resources", "*")])
def test_every_file_of_the_tree_is_installed(installed: Path, folder: str, pattern: str) -> None:
    missing = [name for name in in_tree(folder, pattern) if not (installed / name).is_file()]
    assert not missing


def test_module_library_and_resources_are_installed_side_by_side(installed: Path) -> None:
    assert (installed / "NoisyLabelSeg.py").is_file()
    assert (installed / "NoisyLabelSegLib" / "__init__.py").is_file()
    assert (installed / "Resources" / "Icons" / "NoisyLabelSeg.png").is_file()


def test_the_installed_library_runs_and_finds_its_resources(installed: Path) -> None:
    code = (
        "import NoisyLabelSegLib; from NoisyLabelSegLib.resources import resource_path;"
        "print(NoisyLabelSegLib.__file__, resource_path('Icons/NoisyLabelSeg.png'))"
    )
    environment = {"PYTHONPATH": str(installed), "PATH": "", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-P", "-c", code]
    done = subprocess.run(command, env=environment, cwd=installed, capture_output=True, text=True, check=True)
    assert all(path.startswith(str(installed)) for path in done.stdout.split())


def test_a_file_that_is_missing_stops_the_build(tmp_path: Path) -> None:
    if shutil.which("cmake") is None:
        pytest.skip("needs cmake")
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(Broken NONE)\nfind_package(Slicer REQUIRED)\n"
        "include(${Slicer_USE_FILE})\nslicerMacroBuildScriptedModule(NAME Broken SCRIPTS absent.py)\n"
    )
    command = ["cmake", "-S", str(tmp_path), "-B", str(tmp_path / "build"), f"-DSlicer_DIR={STAND_IN}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "absent.py" in done.stderr


def test_the_catalog_entry_is_what_the_index_accepts() -> None:
    entry = json.loads((REPOSITORY / "NoisyLabelSeg.json").read_text(encoding="utf-8"))
    required, optional = (
        {"$schema", "category", "scm_url"},
        {
            "scm_revision",
            "build_dependencies",
            "tier",
            "enabled",
            "dicom_support_rule",
            "build_subdirectory",
            "scm_type",
        },
    )
    assert required <= entry.keys() <= required | optional
    assert Path(entry["scm_url"]).name == "SlicerNoisyLabelSeg"
    assert b"\r" not in (REPOSITORY / "NoisyLabelSeg.json").read_bytes()


def test_the_project_is_named_like_its_catalog_entry_and_its_variables_stand_on_one_line() -> None:
    content = (REPOSITORY / "CMakeLists.txt").read_text(encoding="utf-8")
    assert "project(NoisyLabelSeg)" in content
    for name in ("ICONURL", "SCREENSHOTURLS"):
        assert re.search(
            rf'^set\(EXTENSION_{name} "https://\S+\.png( https://\S+\.png)*"\)$', content, flags=re.MULTILINE
        )


def test_the_module_folder_holds_one_python_file_and_no_package() -> None:
    assert in_tree("NoisyLabelSeg", "*.py") == ["NoisyLabelSeg/NoisyLabelSeg.py"]
    content = (REPOSITORY / "NoisyLabelSeg" / "NoisyLabelSeg.py").read_text(encoding="utf-8")
    wiring, _tests = content.split("class NoisyLabelSegTest")  # which has a few lines per test
    assert len(wiring.splitlines()) < 150
