"""The life of a worker: from a settings file to an exit code, whatever happens in between."""

from __future__ import annotations

import faulthandler
import os
import shutil
import signal
import tempfile
import traceback
from types import FrameType
from typing import NoReturn

from NoisyLabelSegLib.errors import DONE, FAULT, ending
from NoisyLabelSegLib.jobs.channel import Channel
from NoisyLabelSegLib.jobs.pulse import Pulse
from NoisyLabelSegLib.jobs.settings import JobSettings
from NoisyLabelSegLib.jobs.verbs import perform
from NoisyLabelSegLib.jobs.watch import Watch
from NoisyLabelSegLib.output import remove_partials
from NoisyLabelSegLib.progress import Progress

MODESTY = 5
"""How far the worker steps back behind Slicer's window, in steps of `nice`."""


def work(settings_file: str, *, scratch: str | None = None) -> int:
    """Does the job of a settings file and returns the exit code; `scratch` is removed at the end."""
    channel, watch = Channel(), Watch()
    try:
        _prepare(scratch)
        watch.start()
        channel.result(_do(settings_file, channel, watch))
        return DONE
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - people get a sentence, the log the rest
        watch.end()
        code, sentence = ending(error, remedy="please report it together with the log")
        channel.error(sentence, detail=traceback.format_exc() if code == FAULT else getattr(error, "detail", ""))
        return code
    finally:
        if scratch:
            shutil.rmtree(scratch, ignore_errors=True)


def _prepare(scratch: str | None) -> None:
    faulthandler.enable()  # a crash leaves its place in the log
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    if hasattr(os, "nice"):
        os.nice(MODESTY)
    if scratch:
        tempfile.tempdir = scratch
        os.environ.update(TMPDIR=scratch, TEMP=scratch, TMP=scratch)


def _do(settings_file: str, channel: Channel, watch: Watch) -> dict[str, object]:
    def report(progress: Progress) -> None:
        if watch.asked:  # an interrupt can get lost where Python cannot raise it, in a destructor for example
            raise KeyboardInterrupt
        channel.progress(progress)

    settings = JobSettings.read(settings_file)
    channel.started(settings.verb)
    try:
        with Pulse(channel.alive):
            result = perform(settings, report, channel.say)
        watch.end()
    finally:
        remove_partials(settings.out, os.getpid())
    return result


def _interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
