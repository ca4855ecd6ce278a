"""Attempts of a training: each runs to its end or to the first sign that it is lost, and is then restarted."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from lightning_fabric import Fabric

from NoisyLabelSegLib.networks import SegmentationNetwork
from NoisyLabelSegLib.training.loop import Loop
from NoisyLabelSegLib.training.objectives.base import Objective
from NoisyLabelSegLib.training.preparation import TrainingData
from NoisyLabelSegLib.training.recording import Recorder
from NoisyLabelSegLib.training.restarts import WATCHED_FROM, is_late, restart_settings, what_went_wrong
from NoisyLabelSegLib.training.settings import Settings

Watch = Callable[[SegmentationNetwork], Mapping[str, float]]
"""Called with the network after every epoch; its figures are recorded with those of the epoch."""


class Attempts:
    """Trains from the recorder's state on, which says which attempt it is and how many epochs are behind."""

    def __init__(
        self, fabric: Fabric, data: TrainingData, settings: Settings, recorder: Recorder, watch: Watch | None = None
    ) -> None:
        self._fabric, self._data, self._settings, self._recorder = fabric, data, settings, recorder
        self._watch = watch
        self._state = recorder.state

    @property
    def settings(self) -> Settings:
        """Those of the current attempt."""
        attempt = self._state.attempt
        return restart_settings(self._settings, attempt) if attempt else self._settings

    def train(self) -> SegmentationNetwork:
        """The network of the last attempt, with the weights of its best epoch where that was watched."""
        state, restarts = self._state, self._settings.restarts
        network = self._attempt(self.settings)
        while state.wrong and state.attempt < restarts:
            wrong = f"This run went wrong: {state.wrong}"
            state.start_again()
            again = f"starting again ({state.attempt} of {restarts})"
            self._recorder.remark(f"{wrong}; {again} with the annotators' part frozen for longer.")
            network = self._attempt(self.settings)
        if state.wrong:
            why = "restarting did not help" if restarts else "it was not restarted, because `restarts` is 0"
            self._recorder.remark(f"This run went wrong: {state.wrong}; {why}. Do not trust this model.")
        if state.best:
            network.load_state_dict(state.best["network"])
        return network

    def _attempt(self, settings: Settings) -> SegmentationNetwork:
        """Trains to the end, or to the first sign that the run is lost while it can still be restarted."""
        state, data = self._state, self._data
        torch.manual_seed(settings.seed)
        network = data.learner.network(data.architecture(settings), data.labels)
        objective = data.learner.objective(network, settings, data.labels)
        loop = self._loop(objective, settings)
        self._recorder.progress(0.0)
        while not self._ends(settings):
            figures, agreement = loop.epoch(self._recorder.progress)
            state.epoch += 1
            if data.held_out:
                figures["heldOutLikelihood"] = loop.held_out_likelihood(*data.held_out)
            if self._watch is not None:
                figures.update(self._watch(network.eval()))
            watched = state.epoch >= WATCHED_FROM * settings.epochs
            late = is_late(state.epoch, settings.epochs)
            state.wrong = what_went_wrong(agreement, data.study.classes, late=late) if watched else ""
            self._recorder.record_epoch(figures, objective, loop)
        return network

    def _loop(self, objective: Objective, settings: Settings) -> Loop:
        """The loop with the weights, optimizer and random state of the last epoch on record, if there is one."""
        state = self._state
        if state.network:
            objective.network.load_state_dict(state.network)
        if objective.auxiliary is not None and state.guesses:
            objective.auxiliary.load_state_dict(state.guesses)
        loop = Loop(
            self._fabric,
            objective,
            settings,
            self._data.source,
            self._data.surveys,
            say=self._recorder.remark,
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
