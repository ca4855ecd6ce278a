"""The folder of a run: opening it, and putting every epoch on record so that the run can be resumed."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.output import undisturbed, write_text
from NoisyLabelSegLib.progress import Progress, Report, Say, paced
from NoisyLabelSegLib.training.checkpoints import Checkpoint
from NoisyLabelSegLib.training.loop import Loop
from NoisyLabelSegLib.training.objectives.base import Objective
from NoisyLabelSegLib.training.settings import Settings, stored_settings

METRICS, SETTINGS, MODEL = "metrics.jsonl", "settings.json", "model.nlseg"


def open_run(folder: Path, settings: Settings, digest: str, *, resume: bool, force: bool) -> Checkpoint:
    """The state to start or to resume from; the folder is read and not changed. digest: of the study."""
    if resume and stored_settings(folder) != settings:
        raise UserError("was started with other settings", file=folder, remedy="resume it without changing them")
    if not resume and (folder.is_file() or (folder.is_dir() and any(folder.iterdir()) and not force)):
        kept = stopped_after(folder)
        raise UserError(
            f"holds a training that was stopped {kept}" if kept else "exists already",
            file=folder,
            remedy="add --resume to go on, --force to start anew, or choose another folder",
        )
    state = Checkpoint.read(folder) if resume else None
    if state is None:
        return Checkpoint(study=digest)
    if state.study != digest:
        raise UserError("was trained on another study", file=folder, remedy="use the same study, or another folder")
    return state


def stopped_after(folder: Path) -> str:
    """How far the run in this folder has come, as a clause of a sentence; "" if it has ended or there is none."""
    if not (folder / SETTINGS).is_file() or (folder / MODEL).exists():
        return ""
    try:
        last = json.loads((folder / METRICS).read_text(encoding="utf-8").splitlines()[-1])
        epochs = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))["epochs"]
        done, again = int(last["epoch"]), f" (restart {last['attempt']})" if last["attempt"] else ""
    except (OSError, ValueError, LookupError, TypeError):
        return "before its first epoch was finished"
    return f"after epoch {done} of {epochs}{again}, which is kept"


def begin_run(folder: Path, settings: Settings) -> None:
    """Writes the settings of a new run; an older run's model stays until there is a new one."""
    with undisturbed():
        for name in ("checkpoint.pt", METRICS):
            (folder / name).unlink(missing_ok=True)
        write_text(folder / SETTINGS, json.dumps(settings.to_json(), indent=1) + "\n")


class Recorder:
    """Keeps a run's state up to date, writes it after every epoch, and reports progress and remarks."""

    def __init__(
        self, folder: Path, settings: Settings, state: Checkpoint, *, writes: bool, report: Report, say: Say
    ) -> None:
        """writes: whether this process, of all that share the run, writes the files."""
        self.state = state
        self._folder, self._settings, self._writes = folder, settings, writes
        self._report, self._say = paced(report), say

    def remark(self, sentence: str) -> None:
        """Says a sentence, once in a run, and keeps it for the model card."""
        if sentence not in self.state.remarks:
            self.state.remarks.append(sentence)
            self._say(sentence)

    def progress(self, part: float) -> None:
        """part: the share of the current epoch that is done."""
        self._report(Progress("train", self.state.epoch, self._settings.epochs, part=part))

    def record_epoch(self, figures: dict[str, float], objective: Objective, loop: Loop) -> None:
        """Puts the epoch on record: history, best epoch, checkpoint, metrics.jsonl, and a report."""
        state, network = self.state, _copied_state(objective.network)
        finite = {name: value if math.isfinite(value) else None for name, value in figures.items()}
        state.history.append({"epoch": state.epoch, "attempt": state.attempt, **finite})
        self._keep_best(figures, network)
        state.network, state.optimizer = network, loop.optimizer.state_dict()
        state.guesses = {} if objective.auxiliary is None else _copied_state(objective.auxiliary)
        state.micro_batch, state.random_state = loop.micro_batch, torch.get_rng_state()
        if self._writes:
            state.write(self._folder)
            lines = [json.dumps(entry) for entry in state.history]
            write_text(self._folder / METRICS, "\n".join(lines) + "\n")
        self._report(Progress("train", state.epoch, self._settings.epochs, figures))

    def _keep_best(self, figures: dict[str, float], network: dict[str, Any]) -> None:
        held_out = figures.get("heldOutLikelihood")
        if not self._settings.patience or held_out is None:
            return
        if held_out < self.state.best.get("likelihood", float("inf")):
            self.state.best = {"likelihood": held_out, "epoch": self.state.epoch, "network": network}


def _copied_state(module: nn.Module) -> dict[str, Tensor]:
    """The module's weights on the CPU, which further steps do not change."""
    return {name: tensor.detach().cpu().clone() for name, tensor in module.state_dict().items()}
