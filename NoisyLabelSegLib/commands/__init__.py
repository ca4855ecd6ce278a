"""One file per verb of the `noisylabelseg` command.

A verb's module has `SUMMARY` (one line), `EXAMPLE` (command lines for --help), `add_arguments(parser)` and
`run(arguments, terminal) -> dict`, whose result ends the run as the `result` event. A verb whose options depend on
another word of the command has `add_options(parser, words)`, too. What needs torch is imported only when it is used, so
`--help` stays quick and a verb without networks never loads it.
"""

from __future__ import annotations

VERBS = {
    "demo": "demo",
    "import": "import_",
    "check": "check",
    "simulate": "simulate",
    "fuse": "fuse",
    "train": "train",
    "predict": "predict",
    "models": "models",
    "review": "review",
    "adjudicate": "adjudicate",
    "handout": "handout",
    "collect": "collect",
    "agree": "agree",
    "evaluate": "evaluate",
    "export": "export",
    "run": "run",
    "reproduce": "reproduce",
    "bench": "bench",
}
"""Verb to module name, in the order of the help page."""
