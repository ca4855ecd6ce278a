"""Counts the modules of the library that each verb and the scene load: `python -m benchmarks.count_modules [LIBRARY]`.

LIBRARY is the folder of another checkout to count instead of this one.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
VERBS: dict[str, list[str]] = {
    "fuse": ["fuse", "study", "--out", "fused"],
    "train": ["train", "study", "--out", "run", "--preset", "quick", "--set", "epochs=1"],
    "predict": ["predict", "run/model.nlseg", "study", "--out", "predicted", "--annotators", "--confusion"],
    "review": ["review", "study", "--truth", "majority", "--out", "review"],
    "evaluate": ["evaluate", "predicted", "study"],
}
_VERB = "import sys; from NoisyLabelSegLib.cli import main; main(sys.argv[1:])"
_SCENE = "import sys; import NoisyLabelSegLib.scene; import NoisyLabelSegLib.scene.views"
_PRINT = "; print('modules', len([name for name in sys.modules if name.split('.')[0] == 'NoisyLabelSegLib']))"


def count(library: Path) -> dict[str, int]:
    """Loaded modules by verb, in a process each, on a small simulated study."""
    with tempfile.TemporaryDirectory() as folder:
        simulate = ["simulate", "lesions", "--out", "study", "--cases", "3", "--size", "40,40,6"]
        _loaded(library, Path(folder), _VERB, simulate)
        found = {verb: _loaded(library, Path(folder), _VERB, words) for verb, words in VERBS.items()}
        found["scene"] = _loaded(library, Path(folder), _SCENE, [])
    return found


def _loaded(library: Path, folder: Path, code: str, words: list[str]) -> int:
    environment = {**os.environ, "PYTHONPATH": str(library)}
    command = [sys.executable, "-c", code + _PRINT, *words]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return int(done.stdout.split()[-1])


def main() -> None:
    library = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else REPOSITORY
    files = list((library / "NoisyLabelSegLib").rglob("*.py"))
    lines = sorted(len(path.read_text(encoding="utf-8").splitlines()) for path in files)
    for name, modules in count(library).items():
        sys.stdout.write(f"{name:10} {modules}\n")
    sys.stdout.write(f"files {len(files)}, median {lines[len(lines) // 2]} lines, longest {lines[-1]}\n")


if __name__ == "__main__":
    main()
