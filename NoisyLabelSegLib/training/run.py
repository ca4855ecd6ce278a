"""A training from a study to a model package: prepares, goes on where it stopped, watches, repairs, packs."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from lightning_fabric import Fabric
from torch import Tensor, nn

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.table import VoteTable
from NoisyLabelSegLib.networks import Architecture, CoupledNetwork
from NoisyLabelSegLib.networks.package import save_package
from NoisyLabelSegLib.output import undisturbed, write_text
from NoisyLabelSegLib.progress import Progress, Report, paced, silent
from NoisyLabelSegLib.training.card import card_of
from NoisyLabelSegLib.training.checkpoints import Checkpoint
from NoisyLabelSegLib.training.devices import make_fabric
from NoisyLabelSegLib.training.guesses import LabelGuesses
from NoisyLabelSegLib.training.loop import Loop, Say
from NoisyLabelSegLib.training.objective import Objective
from NoisyLabelSegLib.training.presets import stored_settings
from NoisyLabelSegLib.training.reliability import (
    absent_annotators,
    has_single_labels,
    silent_annotators,
    trust_in_annotators,
)
from NoisyLabelSegLib.training.remedies import WATCHED_FROM, is_late, remedied, what_went_wrong
from NoisyLabelSegLib.training.samples import Samples
from NoisyLabelSegLib.training.settings import Settings
from NoisyLabelSegLib.training.source import StudySource, Survey
from NoisyLabelSegLib.training.splits import Split, split_cases, study_digest
from NoisyLabelSegLib.training.working_grid import fitted


@dataclass(frozen=True)
class Trained:
    """Where the package is, the figures of the epoch it was taken from, and sentences worth reading."""

    package: Path
    figures: dict[str, Any]
    remarks: tuple[str, ...]


def train_study(
    study: Study,
    folder: Path,
    settings: Settings,
    *,
    resume: bool = False,
    force: bool = False,
    report: Report = silent,
    say: Say = lambda _sentence: None,
) -> Trained:
    """Trains on the study's cases of split `train`, writes into `folder` as it goes, and ends with `model.nlseg`."""
    fabric = make_fabric(settings)
    if not fabric.is_global_zero:
        report, say = silent, lambda _sentence: None
    digest = study_digest(study)
    split = split_cases(study, settings)
    asked, settings = settings, fitted(settings, split.train)
    state = _start(folder, settings, digest, resume=resume, force=force)
    fabric.barrier()  # all have looked at the folder before the first process writes to it
    run = _Run(fabric, study, split, settings, folder, state, report, say)
    if settings != asked:
        edges = " x ".join(f"{edge:g}" for edge in settings.spacing)
        run.remark(
            f"What people outlined is large for crops of {settings.patch} pixels: pixels of {edges} mm are used."
        )
    if fabric.is_global_zero and not resume:
        _take_over(folder, settings)
    run.train()
    if fabric.is_global_zero:
        card = card_of(study, split.train, run.settings, run.network.architecture, state)
        save_package(folder / "model.nlseg", run.network, card)
    fabric.barrier()
    package = folder / "model.nlseg"
    say(f"The model is {package}; use it with: noisylabelseg predict {package} IMAGES --out DIR")
    return Trained(package, state.kept, tuple(state.remarks))


def _start(folder: Path, settings: Settings, digest: str, *, resume: bool, force: bool) -> Checkpoint:
    """The state to go on from; the folder is looked at and not touched."""
    if resume and stored_settings(folder) != settings:
        raise UserError("was started with other settings", file=folder, remedy="resume it without changing them")
    if not resume and (folder.is_file() or (folder.is_dir() and any(folder.iterdir()) and not force)):
        raise UserError(
            "exists already",
            file=folder,
            remedy="add --resume to go on, --force to start anew, or choose another folder",
        )
    state = Checkpoint.read(folder) if resume else None
    if state is None:
        return Checkpoint(study=digest)
    if state.study != digest:
        raise UserError("was trained on another study", file=folder, remedy="use the same study, or another folder")
    return state


def _take_over(folder: Path, settings: Settings) -> None:
    """Makes the folder that of a run with these settings; an older run's model stays until there is a new one."""
    with undisturbed():
        for name in ("checkpoint.pt", "metrics.jsonl"):
            (folder / name).unlink(missing_ok=True)
        write_text(folder / "settings.json", json.dumps(settings.to_json(), indent=1) + "\n")


class _Run:
    """One training with its state; every epoch ends with a checkpoint that holds all of it."""

    def __init__(
        self,
        fabric: Fabric,
        study: Study,
        split: Split,
        settings: Settings,
        folder: Path,
        state: Checkpoint,
        report: Report,
        say: Say,
    ) -> None:
        self._fabric, self._study, self._settings, self._folder = fabric, study, settings, folder
        self._state, self._report, self._say = state, paced(report), say
        self._source = StudySource(study, split.train, settings)
        self._surveys = self._source.survey(report)
        if not any(survey.marked for survey in self._surveys):
            raise UserError("Nobody marked anything in the training cases", remedy="check the labels of the study")
        votes = [survey.votes for survey in self._surveys]
        self._votes, self._silent = VoteTable.pooled(votes), silent_annotators(votes, len(study.classes))
        self._absent = absent_annotators(self._votes)
        held_out = StudySource(study, split.validate, settings)
        self._held_out: tuple[Samples, list[Survey]] | None = None
        if len(held_out):
            self._held_out = Samples(held_out, settings, vary=False), held_out.survey(report)
        for remark in split.remarks:
            self.remark(remark)
        if self._architecture(settings).confusion != "none":
            for place in np.flatnonzero(self._absent):
                name = study.annotators[place]
                self.remark(f"{name} labelled none of the training cases, so {name}'s errors are not learned.")

    def train(self) -> None:
        state = self._state
        self._attempt(self.settings)
        while state.wrong and state.attempt < self._settings.restarts:
            wrong = f"This run went wrong: {state.wrong}"
            state.start_again()
            again = f"starting again ({state.attempt} of {self._settings.restarts})"
            self.remark(f"{wrong}; {again} with the annotators' part frozen for longer.")
            self._attempt(self.settings)
        if state.wrong:
            self.remark(f"This run went wrong: {state.wrong}; restarting did not help, so do not trust this model.")
        if state.best:
            self.network.load_state_dict(state.best["network"])

    @property
    def settings(self) -> Settings:
        """Those of this attempt."""
        return remedied(self._settings, self._state.attempt) if self._state.attempt else self._settings

    def _attempt(self, settings: Settings) -> None:
        """Trains to the end, or to the first sign that the run is lost while it can still begin anew."""
        state = self._state
        torch.manual_seed(settings.seed)
        self.network = CoupledNetwork(self._architecture(settings))
        self.network.expect_silence(torch.from_numpy(self._silent))
        self._objective = self._make_objective(settings)
        loop = self._loop(settings)
        self._moved(0.0)
        while not self._ends(settings):
            figures, meetings = loop.epoch(self._moved)
            state.epoch += 1
            if self._held_out:
                figures["heldOutLikelihood"] = loop.held_out_likelihood(*self._held_out)
            watched = state.epoch >= WATCHED_FROM * settings.epochs
            late = is_late(state.epoch, settings.epochs)
            state.wrong = what_went_wrong(meetings, self._study.classes, late=late) if watched else ""
            self._remember(figures, loop)

    def _moved(self, part: float) -> None:
        self._report(Progress("train", self._state.epoch, self._settings.epochs, part=part))

    def _make_objective(self, settings: Settings) -> Objective:
        silent = torch.from_numpy(self._silent)
        trust = torch.from_numpy(trust_in_annotators(self._votes, self._silent))
        fills = settings.completion and self.network.annotator_head is not None and has_single_labels(self._votes)
        guesses = LabelGuesses(settings.widths[0], silent, torch.from_numpy(self._absent)) if fills else None
        return Objective(self.network, settings, trust, guesses)

    def _loop(self, settings: Settings) -> Loop:
        state, guesses = self._state, self._objective.guesses
        if state.network:
            self.network.load_state_dict(state.network)
        if guesses is not None and state.guesses:
            guesses.load_state_dict(state.guesses)
        loop = Loop(
            self._fabric,
            self._objective,
            settings,
            self._source,
            self._surveys,
            say=self.remark,
            first_epoch=state.epoch,
            micro_batch=state.micro_batch,
        )
        if state.optimizer:
            loop.optimizer.load_state_dict(state.optimizer)
            torch.set_rng_state(state.random_state)
        return loop

    def _ends(self, settings: Settings) -> bool:
        state = self._state
        if state.epoch >= settings.epochs or (state.wrong and state.attempt < settings.restarts):
            return True
        return bool(settings.patience and state.best and state.epoch - state.best["epoch"] >= settings.patience)

    def _remember(self, figures: dict[str, float], loop: Loop) -> None:
        """Puts the epoch on record: history, best epoch, checkpoint, metrics.jsonl, and a report."""
        state, guesses = self._state, self._objective.guesses
        network = _kept(self.network)
        finite = {name: value if math.isfinite(value) else None for name, value in figures.items()}
        state.history.append({"epoch": state.epoch, "attempt": state.attempt, **finite})
        held_out = figures.get("heldOutLikelihood")
        if self._settings.patience and held_out is not None and held_out < state.best.get("likelihood", float("inf")):
            state.best = {"likelihood": held_out, "epoch": state.epoch, "network": network}
        state.network, state.optimizer = network, loop.optimizer.state_dict()
        state.guesses = _kept(guesses) if guesses is not None else {}
        state.micro_batch, state.random_state = loop.micro_batch, torch.get_rng_state()
        if self._fabric.is_global_zero:
            state.write(self._folder)
            lines = [json.dumps(entry) for entry in state.history]
            write_text(self._folder / "metrics.jsonl", "\n".join(lines) + "\n")
        self._report(Progress("train", state.epoch, self._settings.epochs, figures))

    def _architecture(self, settings: Settings) -> Architecture:
        plain = settings.target != "coupled" or settings.confusion == "oracle-cm"
        return Architecture(
            dimensions=settings.dimensions,
            channels=len(self._source[0].image),
            classes=len(self._study.classes),
            annotators=len(self._study.annotators),
            confusion="none" if plain else settings.confusion,
            rank=min(settings.rank, len(self._study.classes)),
            start_diagonal=settings.start_diagonal,
            trunk=settings.trunk,
            widths=settings.widths,
            trunk_arguments=settings.trunk_arguments,
        )

    def remark(self, sentence: str) -> None:
        if sentence not in self._state.remarks:
            self._state.remarks.append(sentence)
            self._say(sentence)


def _kept(module: nn.Module) -> dict[str, Tensor]:
    """The module's weights, out of reach of further steps."""
    return {name: tensor.detach().cpu().clone() for name, tensor in module.state_dict().items()}
