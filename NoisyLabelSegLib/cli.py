"""The `noisylabelseg` command: finds the verb, runs it, and turns every outcome into an exit code.

0 done, 2 bad input (one sentence on stderr), 130 cancelled, 1 a fault of ours.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import io
import re
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType, ModuleType
from typing import NoReturn

from rich_argparse import RawDescriptionRichHelpFormatter

from NoisyLabelSegLib import __version__
from NoisyLabelSegLib.commands import VERBS
from NoisyLabelSegLib.commands.terminal import Terminal, output_written
from NoisyLabelSegLib.errors import DONE, UserError, ending

EPILOG = """See it work:            noisylabelseg demo --out demo
Your own label files:   noisylabelseg fuse --help
A folder of cases:      noisylabelseg import --help
Each verb has its own --help with an example."""
_NEGATIVE = re.compile(r"-[\d.][\d.,e+-]*")


def main(words: Sequence[str] | None = None) -> int:
    """Runs one verb and returns its exit code."""
    words = _joined(sys.argv[1:] if words is None else words) or ["--help"]
    _accept_all_letters(json="--json" in words)
    with Terminal(json="--json" in words) as terminal, _interrupted_by_signals(terminal):
        return _run(words, terminal)


def _run(words: Sequence[str], terminal: Terminal) -> int:
    try:
        with output_written():
            _require_verb(words[0])
            arguments = _parser(words).parse_args(words)
        terminal.json = arguments.json  # which may have been abbreviated
        terminal.started(arguments.verb)
        terminal.result(arguments.module.run(arguments, terminal))
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - people get a sentence, not a traceback
        if "--debug" in words:
            traceback.print_exc()
        code, sentence = ending(error, remedy="run again with --debug and report what it prints")
        terminal.error(sentence)
        return code
    return DONE


def _require_verb(word: str) -> None:
    if word in VERBS or word.startswith("-"):
        return
    alike = difflib.get_close_matches(word, VERBS, n=1)
    remedy = f"try noisylabelseg {alike[0]}" if alike else "noisylabelseg --help lists them"
    raise UserError(f"There is no verb {word}", remedy=remedy)


def _joined(words: Sequence[str]) -> list[str]:
    """`--at -62,40,-110` as `--at=-62,40,-110`: argparse would take the negative numbers for an option."""
    joined: list[str] = []
    for word in words:
        if joined and joined[-1].startswith("--") and "=" not in joined[-1] and _NEGATIVE.fullmatch(word):
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    return joined


class _Parser(argparse.ArgumentParser):
    """Says what is wrong with the command in one sentence."""

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message[:1].upper()}{message[1:]}", remedy=f"see {self.prog} --help")


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    parser = _Parser(
        prog="noisylabelseg",
        description="Several people outlined the same scans and disagree: estimate the truth and what each gets wrong.",
        epilog=EPILOG,
        formatter_class=RawDescriptionRichHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"noisylabelseg {__version__}")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True, title="verbs")
    asked = {verb: name for verb, name in VERBS.items() if words[0] == verb}
    for verb, module_name in (asked or VERBS).items():  # the modules of the other verbs are only needed for --help
        module = importlib.import_module(f"NoisyLabelSegLib.commands.{module_name}")
        child = verbs.add_parser(
            verb,
            help=module.SUMMARY,
            description=module.SUMMARY,
            epilog=f"example:\n{module.EXAMPLE.rstrip()}",
            formatter_class=RawDescriptionRichHelpFormatter,
        )
        if verb in words:  # a verb's arguments may need libraries that the others do not
            _add_arguments(child, module, words)
        child.set_defaults(module=module)
    return parser


def _add_arguments(parser: argparse.ArgumentParser, module: ModuleType, words: Sequence[str]) -> None:
    module.add_arguments(parser)
    if hasattr(module, "add_options"):
        module.add_options(parser, words)
    parser.add_argument("--json", action="store_true", help="write one JSON event per line to stdout instead of text")
    parser.add_argument("--debug", action="store_true", help="show the technical details of an error")


def _accept_all_letters(*, json: bool) -> None:
    """Letters that the terminal or log file does not have become question marks; events are UTF-8 everywhere."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8" if json else None, errors="replace")


class _Interrupt(KeyboardInterrupt):
    """Python itself ends a process by SIGINT, whatever its exit code, where a plain one left certain C code."""


@contextmanager
def _interrupted_by_signals(terminal: Terminal) -> Iterator[None]:
    """While it lasts, SIGTERM does what Ctrl-C does; Ctrl-C may be ignored, as it is in the background of a shell."""

    def interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
        terminal.interrupted = True
        raise _Interrupt

    handled = [signal.SIGTERM]
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        handled.append(signal.SIGINT)
    previous = {number: signal.signal(number, interrupt) for number in handled}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
