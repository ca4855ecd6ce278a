"""How people hear of a problem: one sentence in the section it belongs to; the details go to the log."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from slicer.i18n import tr as _

from NoisyLabelSegLib.errors import UserError


@contextmanager
def saidIn(label: Any) -> Iterator[None]:
    """Shows what goes wrong in the block as the text of a label; nothing is raised."""
    try:
        yield
    except UserError as error:
        if error.detail:
            logging.info("NoisyLabelSeg: %s (%s)", error.sentence, error.detail)
        say(label, error.sentence)
    except Exception as error:  # a traceback is of no use in a panel; the log has it
        logging.exception("NoisyLabelSeg failed")
        say(label, _("This did not work ({reason}). The details are in the application log.").format(reason=error))


def say(label: Any, sentence: str) -> None:
    """Shows a sentence, or hides the label if it is empty."""
    label.text = sentence
    label.visible = bool(sentence)


def explain(control: Any, reason: str, purpose: str) -> None:
    """Switches a control off for a reason, which its tooltip then gives, or on, and the tooltip says its purpose."""
    control.enabled = not reason
    control.toolTip = reason or purpose
