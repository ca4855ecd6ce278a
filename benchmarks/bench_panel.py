"""`bench panel`: loading the module file, and how long the event loop is blocked by each action."""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.panel_actions import LargeCase
from benchmarks.panel_adjudication import LargeAdjudication
from benchmarks.panel_real_scenes import real_scenes
from benchmarks.panel_scenes import SCENES, AnyScene, SceneActions
from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.errors import UserError

SUMMARY = (
    "Loading the module against importing SimpleITK, and event-loop gaps during a training run and of every action on "
    "large cases and on scenes with many readers or classes."
)

HOST = Path(__file__).resolve().parents[1] / "Testing" / "Host"
EPOCHS = 12
USUAL_MS, LARGEST_MS = 100, 500
LOAD_MODULE = f"""
import runpy, sys, time
sys.path.insert(0, {str(HOST)!r})
from slicerhost import start
from slicerhost.start import MODULE, REPOSITORY
start()
begin = time.perf_counter()
runpy.run_path(str(REPOSITORY / MODULE / (MODULE + ".py")))
print(time.perf_counter() - begin)
"""
IMPORT_SIMPLEITK = """
import time
import numpy
begin = time.perf_counter()
import SimpleITK
print(time.perf_counter() - begin)
"""


PARTS = ("training", "actions", "adjudication", "scenes")


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, metavar="PART", help=", ".join(PARTS))
    parser.add_argument(
        "--data", type=Path, metavar="DIR", help="the folder of the real data, whose cases are the scenes then"
    )


def run(terminal: Terminal, options: argparse.Namespace) -> dict[str, Any]:
    if not HOST.is_dir():
        raise UserError("The panel is measured in the host of the source tree", remedy="run this in a checkout")
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    results: dict[str, Any] = {}
    if "training" in options.only:
        results |= _training(terminal, options.repeats)
    for part, measure in (("actions", measure_actions), ("adjudication", measure_adjudication)):
        if part in options.only:
            results[part] = {what: _figures(heard) for what, heard in measure().items()}
            _show(terminal, f"512 x 512 x 200 voxels and five annotators ({part})", results[part])
    if "scenes" in options.only:
        results["scenes"] = {}
        for scene in scenes(options.data):
            found = {what: _figures(heard) for what, heard in measure_scene(scene).items()}
            results["scenes"][scene.title] = found
            _show(terminal, scene.title, found)
    blocked = list(_blocked(results))
    limit = f"No action computes for more than {LARGEST_MS} ms at once."
    terminal.say(f"Longer than {LARGEST_MS} ms at once: {'; '.join(blocked)}" if blocked else limit)
    return results


def scenes(data: Path | None) -> Sequence[AnyScene]:
    """Scenes that are made up, or those of the folder of real data."""
    if data is None:
        return SCENES
    found = real_scenes(data)
    if not found:
        raise UserError("holds none of the real cases", file=data, remedy="leave out --data for cases that are made up")
    return found


def _training(terminal: Terminal, repeats: int) -> dict[str, Any]:
    """Loading the module, and a training."""
    module, rival = measure_imports(repeats)
    training = _figures(measure_gaps())
    terminal.table(
        "The panel in the host",
        ["what", "measured", "wanted"],
        [
            ("loading NoisyLabelSeg.py, in imports of SimpleITK", f"{module / rival:.3f}", "below 1"),
            ("event-loop gap while training, 95th percentile", f"{training['gap_95th_percentile_ms']:.0f} ms", "< 100"),
            ("event-loop gap while training, largest", f"{training['gap_largest_ms']:.0f} ms", "< 500"),
        ],
    )
    terminal.say(verdict(training))
    figures = {"module_seconds": module, "simpleitk_seconds": rival, "import_ratio": module / rival}
    return {**figures, "training": training}


def _show(terminal: Terminal, title: str, actions: Mapping[str, Mapping[str, float]]) -> None:
    terminal.table(
        f"Event-loop gaps in ms, {title}",
        ["action", "95th percentile", "largest", "largest without other programs"],
        [(what, *(f"{figure:.0f}" for figure in figures.values())) for what, figures in actions.items()],
    )


def _blocked(results: Mapping[str, Any]) -> Iterator[str]:
    """The actions during which the panel itself computed for too long at once."""
    groups = {part: results[part] for part in ("actions", "adjudication") if part in results}
    for title, actions in {**groups, **results.get("scenes", {})}.items():
        for what, figures in actions.items():
            if figures["busy_largest_ms"] > LARGEST_MS:
                yield f"{what} ({title}) {figures['busy_largest_ms']:.0f} ms"


def measure_imports(repeats: int) -> tuple[float, float]:
    """Median seconds, each in new processes in turn; what Slicer has loaded before is loaded before here, too."""
    pairs = [(_seconds(LOAD_MODULE), _seconds(IMPORT_SIMPLEITK)) for _ in range(repeats)]
    return statistics.median(ours for ours, _ in pairs), statistics.median(rival for _, rival in pairs)


def verdict(training: Mapping[str, float]) -> str:
    """Whether the interface stays alive while a model trains, in a sentence."""
    usual, largest = training["gap_95th_percentile_ms"], training["gap_largest_ms"]
    holds = usual < USUAL_MS and largest < LARGEST_MS
    return (
        f"While a model trains, the interface is at most {usual:.0f} ms late 95 times out of 100, and never more than "
        f"{largest:.0f} ms (limits: {USUAL_MS} and {LARGEST_MS} ms): {'it holds' if holds else 'IT DOES NOT HOLD'}. "
        f"Of the longest wait the panel itself computed {training['busy_largest_ms']:.0f} ms."
    )


def measure_gaps() -> Any:
    """A heartbeat of the event loop from the click on Train to the model, on the demo case."""
    sys.path.insert(0, str(HOST))
    from slicerhost import start
    from slicerhost.heartbeat import Heartbeat

    host, heartbeat = start(), Heartbeat()
    module = host.open_module()
    panel = module.panel
    panel.opening.openDemo()
    panel.annotatorsSection.review()
    with tempfile.TemporaryDirectory() as folder:
        ui = panel.trainSection._ui
        ui.presetSelector.setProperty("currentIndex", ui.presetSelector.findText("quick"))
        ui.epochsBox.setProperty("value", EPOCHS)
        ui.runPath.currentPath = str(Path(folder) / "run")
        heartbeat.start()
        ui.trainButton.click()
        host.wait_for(lambda: not panel.trainSection._job.running, seconds=1800)
        heartbeat.stop()
        if not (Path(folder) / "run" / "model.nlseg").is_file():
            raise UserError(f"The training did not end well: {ui.trainMessage.property('text')}")
    module.exit()
    module.cleanup()
    return heartbeat


def measure_actions() -> dict[str, Any]:
    """A heartbeat for each of the actions of people on a large case."""
    return _in_panel(lambda *given: LargeCase(*given).heard())


def measure_adjudication() -> dict[str, Any]:
    """A heartbeat for each of the actions of an adjudicator on a large case."""
    return _in_panel(lambda *given: LargeAdjudication(*given).heard())


def measure_scene(scene: AnyScene) -> dict[str, Any]:
    """A heartbeat for each of the actions of people on nodes of a scene."""
    return _in_panel(lambda *given: SceneActions(*given).heard(scene))


def _in_panel(measure: Callable[[Any, Any, Callable[[], Any]], dict[str, Any]]) -> dict[str, Any]:
    """Measures something in the panel of an empty scene."""
    sys.path.insert(0, str(HOST))
    from slicerhost import start
    from slicerhost.heartbeat import Heartbeat

    host = start()
    host.close_scene()
    module = host.open_module()
    found = measure(host, module.panel, Heartbeat)
    module.exit()
    module.cleanup()
    return found


def _figures(heard: Any) -> dict[str, float]:
    return {
        "gap_95th_percentile_ms": 1000 * float(np.percentile(heard.gaps, 95)),
        "gap_largest_ms": 1000 * max(heard.gaps),
        "busy_largest_ms": 1000 * max(heard.busy),
    }


def _seconds(code: str) -> float:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])
