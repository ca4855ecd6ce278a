"""Where the arithmetic happens: the device, its precision, and how many processes share the work."""

from __future__ import annotations

import atexit
import os

import torch
import torch.distributed
from lightning_fabric import Fabric

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.training.settings import Settings


def make_fabric(settings: Settings) -> Fabric:
    """One process here, or this process's place among those that torchrun started (one per GPU, on any nodes)."""
    here = int(os.environ.get("LOCAL_WORLD_SIZE", "1"))
    everywhere = int(os.environ.get("WORLD_SIZE", "1"))
    available = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not available.get(settings.device, True):
        raise UserError(f"This machine has no {settings.device} device", remedy="choose auto or cpu")
    # The paper's warm-up leaves the truth's head without gradients, which processes that share theirs must know.
    strategy = "ddp_find_unused_parameters_true" if settings.identity_warm_up else "ddp"
    fabric = Fabric(
        accelerator=settings.device,
        devices=here,
        num_nodes=everywhere // here,
        strategy=strategy if everywhere > 1 else "auto",
        precision=settings.precision,  # type: ignore[arg-type]
    )
    fabric.launch()
    if everywhere > 1 and torch.distributed.get_backend() == "gloo":
        atexit.register(_disconnect)
    return fabric


def _disconnect() -> None:
    """Ends the connections between the processes: left open, they now and then abort one that exits.

    Fabric sees to those between GPUs itself.
    """
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()
